/**
 * Installs the packed engine, predictor and client by npm into empty projects, and runs the engine's examples,
 * calls of the client, and the predictor on a model of the engine, there on every Node that they are for; the
 * client's types are held against those of the service's router. `node scripts/packages/try.ts [version …]`; needs a registry.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildEngine } from "./build.ts";
import { buildClient } from "./client.ts";
import { pack } from "./pack.ts";
import { buildPredict } from "./predict.ts";
import { routerTypeFaults } from "./router-types.ts";

const VERSIONS = ["20", "22", "24"];
const EXAMPLES = fileURLToPath(new URL("../../engine/examples/", import.meta.url));

/** Nobody listens there; what runs against a service is in `test/client-package.test.ts`. */
const CALLS = `
  import { createClient, ServiceError } from "@distillery/client";
  const client = createClient({ url: "http://127.0.0.1:1", token: "nobody" });
  for (const call of [
    () => client.models.list.query({}),
    () => client.uploadDataset("x\\n1\\n", { fileName: "x.csv" }),
    () => client.waitForJob("00000000-0000-4000-8000-000000000000", { patienceMs: 0 }),
  ]) {
    const error = await call().catch((reason) => reason);
    if (!(error instanceof ServiceError) || error.status !== null) throw error;
    console.log(error.message);
  }
`;

/** The engine trains, the predictor answers what the engine answers. */
const PREDICTING = `
  import { deepStrictEqual } from "node:assert";
  import { writeFileSync } from "node:fs";
  import { pathToFileURL } from "node:url";
  import { predict, predictionsOf, train } from "@distillery/engine";
  import { loadModel } from "@distillery/predict";
  const rows = Array.from({ length: 300 }, (_, i) => ({ area: (i * 37) % 120, park: i % 3 === 0 }));
  const lines = rows.map(({ area, park }, i) => [area, park, area * 3 + (park ? 50 : 0) + (i % 7)].join());
  writeFileSync("houses.csv", ["area,park,price", ...lines].join("\\n"));
  const task = { taskKind: "regression", labelColumn: "price" };
  await train({ path: "houses.csv", format: "csv" }, { task, nTrials: 2 }, { folder: "houses" });
  const model = await loadModel(pathToFileURL("houses/model/"));
  const answer = predictionsOf(await predict({ folder: "houses/model", rows: { instances: rows } }));
  deepStrictEqual(model.predict(rows), answer);
  console.log(JSON.stringify(answer.predictions[0]));
`;

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const asked = process.argv.slice(2);
if (asked.includes("--help")) {
  console.log("node scripts/packages/try.ts [version …]: by default 20, 22 and 24");
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), "distillery-package-"));
try {
  const file = pack(await buildEngine(), folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const npm = (...args: string[]): void => {
    execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", ...args], {
      cwd: folder,
      stdio: "inherit",
    });
  };
  const modules = join(folder, "node_modules");
  let failed = 0;
  npm(pack(await buildClient(), folder));
  const faults = routerTypeFaults(folder);
  failed += faults.length;
  console.log(`the client's types: ${faults.length === 0 ? "the router's" : faults.join("\n")}`);
  console.log(`the client installed: ${(bytesOf(modules) / 1e3).toFixed(0)} kB`);
  npm(pack(await buildPredict(), folder));
  console.log(`with the predictor: ${(bytesOf(modules) / 1e3).toFixed(0)} kB`);
  npm(file);
  console.log(`with the engine: ${(bytesOf(modules) / 1e6).toFixed(1)} MB`);
  writeFileSync(join(folder, "client.js"), CALLS);
  writeFileSync(join(folder, "predicting.js"), PREDICTING);
  for (const name of readdirSync(EXAMPLES).filter((each) => each.endsWith(".ts"))) {
    const text = stripTypeScriptTypes(readFileSync(join(EXAMPLES, name), "utf8"));
    writeFileSync(join(folder, name.replace(/\.ts$/, ".js")), text);
  }
  const examples = readdirSync(folder).filter((each) => each.endsWith(".js"));
  const platform = `node-${process.platform}-${process.arch}`;
  for (const version of asked.length > 0 ? asked : VERSIONS) {
    npm("--no-save", `${platform}@${version}`);
    const node = join(modules, platform, "bin/node");
    const exact = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    for (const example of examples) {
      const run = spawnSync(node, [example], { cwd: folder, encoding: "utf8" });
      const isFine = run.status === 0 && run.stdout.trim() !== "";
      if (!isFine) failed++;
      console.log(`${exact} ${example}: ${isFine ? "runs" : `fails\n${run.stderr}`}`);
    }
  }
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
