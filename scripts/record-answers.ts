/**
 * Makes `server/src/api/guide/answers.json`, the examples of response bodies in the OpenAPI document: a
 * server, an object store and a warehouse are started, every operation that answers with JSON is
 * asked once, in the order in which a user would, and what came back is kept.
 *
 *     node scripts/record-answers.ts
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  EXAMPLE_CHALLENGER,
  EXAMPLE_DATASET,
  EXAMPLE_MODEL,
} from "../server/src/api/guide/examples.ts";
import { documents } from "./record-answers/documents.ts";
import {
  endpoint,
  endStage,
  issuer,
  PUBLIC,
  postgres,
  recorder,
  server,
} from "./record-answers/stage.ts";
import { training } from "./record-answers/training.ts";
import { catalog, removal, signIn } from "./record-answers/workspace.ts";

const OUT = new URL("../server/src/api/guide/answers.json", import.meta.url);
const ENDPOINT = "https://s3.example.com";

const connects = (port: number | string): string => `127.0.0.1 accepts connections on port ${port}`;

try {
  await signIn();
  await catalog();
  const { dataset, model, challenger } = await training();
  await documents();
  await removal(dataset, challenger);
  const answers = recorder.answers([
    [dataset, EXAMPLE_DATASET],
    [model, EXAMPLE_MODEL],
    [challenger, EXAMPLE_CHALLENGER],
    [endpoint, ENDPOINT],
    [`127.0.0.1:${postgres.port}/shop?sslmode=disable`, "db.example.com:5432/shop?sslmode=require"],
    [connects(new URL(endpoint).port), "s3.example.com accepts connections on port 443"],
    [connects(postgres.port), "db.example.com accepts connections on port 5432"],
    [server.baseUrl, PUBLIC],
    [`http://${issuer.host}`, "https://login.example.com"],
    [issuer.host, "login.example.com"],
    [`"host":"${hostname()}"`, '"host":"worker-1"'],
  ]);
  writeFileSync(OUT, `${JSON.stringify(answers, null, 2)}\n`);
  const formatter = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const file = fileURLToPath(OUT);
  execFileSync(process.execPath, [formatter, "format", "--write", file], { stdio: "inherit" });
  console.log(`${Object.keys(answers).length} answers are in ${OUT.pathname}`);
} finally {
  await endStage();
}
