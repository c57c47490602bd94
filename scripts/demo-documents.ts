/**
 * From receipts to a model through the REST API of a server started for it: a schema of questions,
 * answers with the words that they were read from, a model of the kind of expense, what it says of
 * receipts that it has not seen, and one of these predictions explained in the words of the questions.
 */

import process from "node:process";
import { extract, induce, learn, readReceipts } from "./demo/documents.ts";
import {
  showAnswers,
  showExplanation,
  showPredictions,
  showQuestions,
} from "./demo/documents-report.ts";
import { onServer } from "./demo/on-server.ts";
import { wholeOption } from "./demo/whole-option.ts";
import { optionsOf } from "./options.ts";

const options = optionsOf({
  help: { type: "boolean", default: false },
  port: { type: "string", default: process.env["PORT"] ?? "8080" },
  receipts: { type: "string", default: "126" },
  exit: { type: "boolean", default: false },
});

if (options.help) {
  console.log(`pnpm demo:documents [--port 8080] [--receipts 126] [--exit]

Starts a server on an empty home, induces a schema of receipts through its REST API, extracts their
answers, trains on them and shows the result. The server is left running until Ctrl-C, unless --exit
is given.`);
  process.exit(0);
}

const { port, exit } = options;
const receiptsAsked = wholeOption("receipts", options.receipts);
await onServer({ name: "demo-documents", port, exit }, async (api) => {
  const { sample, unseen } = readReceipts(receiptsAsked);
  if (unseen.length === 0) throw new Error("The demo needs 6 receipts.");
  const { schemaId, schema } = await induce(api, sample);
  showQuestions(schema);
  const { rows, datasetId } = await extract(api, schemaId, sample, "receipts");
  showAnswers(schema, rows.slice(0, 3), sample);
  const modelId = await learn(api, datasetId);
  const later = await extract(api, schemaId, unseen, null);
  const surest = await showPredictions(api, modelId, later.rows, unseen);
  await showExplanation(api, modelId, schema, later.rows[surest], unseen[surest]);
  return [
    {
      does: "bring documents of your own (PDF, scans, DOCX, HTML, Markdown, text), as many as you like",
      request: ["/v1/documents", "-F files=@FILE.pdf"],
    },
    {
      does: "have questions made of them; the skills there are: /v1/agentic/documents/skills",
      request: [
        "/v1/agentic/documents/induce_schema",
        '-H "Content-Type: application/json"',
        `-d '{"documents": ["DOCUMENT_ID", "DOCUMENT_ID"], "skill": "general", "use_case": "what the columns are for"}'`,
      ],
    },
  ];
});
