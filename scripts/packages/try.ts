/**
 * Installs the packed engine by npm into an empty project, and runs its examples there on every Node
 * that it is for. `node scripts/packages/try.ts [version …]`; needs a registry.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { packEngine } from "./pack.ts";

const VERSIONS = ["20", "22", "24"];
const EXAMPLES = fileURLToPath(new URL("../../engine/examples/", import.meta.url));

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
  const file = await packEngine(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const npm = (...args: string[]): void => {
    execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", ...args], {
      cwd: folder,
      stdio: "inherit",
    });
  };
  npm(file);
  const modules = join(folder, "node_modules");
  console.log(`installed: ${(bytesOf(modules) / 1e6).toFixed(1)} MB`);
  for (const name of readdirSync(EXAMPLES).filter((each) => each.endsWith(".ts"))) {
    const text = stripTypeScriptTypes(readFileSync(join(EXAMPLES, name), "utf8"));
    writeFileSync(join(folder, name.replace(/\.ts$/, ".js")), text);
  }
  const examples = readdirSync(folder).filter((each) => each.endsWith(".js"));
  const platform = `node-${process.platform}-${process.arch}`;
  let failed = 0;
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
