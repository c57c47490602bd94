/**
 * From receipts to a model through the REST API of a server started for it: a schema of questions,
 * answers with the words that they were read from, a model of the total's category, and its
 * prediction for a receipt that it has not seen, explained in the words of the questions.
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { connect } from "./demo/api.ts";
import { extract, induce, learn, readReceipts } from "./demo/documents.ts";
import { showAnswers, showExplanation, showQuestions } from "./demo/documents-report.ts";
import { startServer } from "./demo/server.ts";

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    port: { type: "string", default: process.env["PORT"] ?? "8080" },
    receipts: { type: "string", default: "36" },
    exit: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log(`pnpm demo:documents [--port 8080] [--receipts 36] [--exit]

Starts a server on an empty home, induces a schema of receipts through its REST API, extracts their
answers, trains on them and shows the result. The server is left running until Ctrl-C, unless --exit
is given.`);
  process.exit(0);
}

const key = `demo_${randomBytes(18).toString("base64url")}`;
const home = join(".distillery", `demo-documents-${Date.now()}`);
const server = await startServer({ port: options.port, key, home });
try {
  const api = connect(server.baseUrl, key);
  const receipts = readReceipts(Number(options.receipts));
  const sample = receipts.slice(0, -1);
  const [unseen] = receipts.slice(-1);
  if (unseen === undefined || sample.length < 3) throw new Error("The demo needs 4 receipts.");
  const { schemaId, schema } = await induce(api, sample);
  showQuestions(schema);
  const { rows, datasetId } = await extract(api, schemaId, sample, "receipts");
  showAnswers(schema, rows.slice(0, 3), sample);
  const modelId = await learn(api, datasetId, schema);
  const [row] = (await extract(api, schemaId, [unseen], null)).rows;
  if (row !== undefined) await showExplanation(api, modelId, schema, row, unseen);
} catch (error) {
  const interrupted = server.stopping;
  await server.stop();
  if (interrupted) process.exit(130);
  throw error;
}

console.log(`\n${options.exit ? "The server ends now; it had" : "The server is still running, with"} its data in ${home}:

  API       ${server.baseUrl}/v1
  Docs      ${server.baseUrl}/docs
  API key   ${key}
`);
if (options.exit) await server.stop();
else {
  console.log("Ctrl-C stops it.");
  await server.exited;
}
