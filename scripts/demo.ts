/**
 * The whole path on a real dataset, through the REST API of a server started for it: upload,
 * search with folds and an ensemble, leaderboard, test score, importance, prediction, explanation.
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { connect } from "./demo/api.ts";
import { readBikeSharing } from "./demo/bike-sharing.ts";
import { showLeaderboard, showModel, showTest } from "./demo/report.ts";
import { startServer } from "./demo/server.ts";
import { train } from "./demo/train.ts";

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    port: { type: "string", default: process.env["PORT"] ?? "8080" },
    trials: { type: "string", default: "20" },
    folds: { type: "string", default: "5" },
    exit: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log(`pnpm demo [--port 8080] [--trials 20] [--folds 5] [--exit]

Starts a server on an empty home, trains on real data through its REST API and shows the result.
The server is left running until Ctrl-C, unless --exit is given.`);
  process.exit(0);
}

const key = `demo_${randomBytes(18).toString("base64url")}`;
const home = join(
  ".distillery",
  `demo-${new Date()
    .toISOString()
    .replaceAll(/[^0-9]/g, "")
    .slice(0, 14)}`,
);
const server = await startServer({ port: options.port, key, home });
try {
  const api = connect(server.baseUrl, key);
  const data = readBikeSharing();
  const { modelId, reportUri, metrics } = await train(api, data, {
    trials: Number(options.trials),
    folds: Number(options.folds),
  });
  showLeaderboard(metrics);
  await showModel(api, modelId, metrics);
  await showTest(api, modelId, data);
  console.log(`\nThe whole story, to open in a browser:\n\n  ${reportUri}`);
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
