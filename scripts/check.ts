/** Types, lint (with the rule that floors import downwards only) and format. */

import { spawnSync } from "node:child_process";
import process from "node:process";

if (process.argv.includes("--help")) {
  console.log("pnpm check: type-checks, lints and checks the format of the whole repository.");
  process.exit(0);
}

const steps: readonly (readonly [string, readonly string[]])[] = [
  ["tsc", ["--project", "."]],
  ["biome", ["ci", "--error-on-warnings", "."]],
];
let failed = false;
for (const [command, args] of steps) {
  console.log(`${command} ${args.join(" ")}`);
  const result = spawnSync(command, args, { stdio: "inherit" });
  if (result.error) throw result.error;
  failed ||= result.status !== 0;
}
process.exit(failed ? 1 : 0);
