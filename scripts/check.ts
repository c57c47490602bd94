/**
 * Types, lint, format, that nothing is exported in vain, that floors import downwards only, that
 * kinds of tasks are named in one place, that no test has a time limit of its own, that git keeps
 * nothing large, that dependencies are at exact versions, and that each migration has its number.
 */

import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { TASK_KINDS } from "../engine/src/tasks/index.ts";
import { readMigrations } from "../server/src/platform/db/migrations.ts";
import { faultsOf, HOUSES } from "./check/floors.ts";
import { inexactVersionFaults } from "./check/inexact-versions.ts";
import { largeFileFaults } from "./check/large-files.ts";
import { taskKindFaults } from "./check/named-task-kinds.ts";
import { testLimitFaults } from "./check/test-limits.ts";
import { MANIFESTS } from "./release.ts";

if (process.argv.includes("--help")) {
  console.log(
    `pnpm check: type-checks and lints the whole repository, checks its format, that nothing is exported in vain,
that imports go downwards, and the other rules that each run names.`,
  );
  process.exit(0);
}

const steps: readonly (readonly [string, readonly string[]])[] = [
  ["tsc", ["--project", "."]],
  ["biome", ["ci", "--error-on-warnings", "."]],
  // What only tests call is dead but for what says `@internal`.
  ["knip", ["--production", "--include", "files,exports,types,unlisted,unresolved"]],
];
let failed = false;
for (const [command, args] of steps) {
  console.log(`${command} ${args.join(" ")}`);
  const result = spawnSync(command, args, { stdio: "inherit" });
  if (result.error) throw result.error;
  failed ||= result.status !== 0;
}
const root = fileURLToPath(new URL("..", import.meta.url));
console.log("imports go downwards, and in no circle");
for (const fault of HOUSES.flatMap((house) => faultsOf(house, root))) {
  console.error(fault);
  failed = true;
}
console.log("kinds of tasks are named in engine/src/tasks alone");
for (const fault of taskKindFaults(root, TASK_KINDS)) {
  console.error(fault);
  failed = true;
}
console.log("tests have one time limit");
for (const fault of testLimitFaults(root)) {
  console.error(fault);
  failed = true;
}
console.log("git keeps nothing large");
for (const fault of largeFileFaults(root)) {
  console.error(fault);
  failed = true;
}
console.log("dependencies are at exact versions");
for (const fault of inexactVersionFaults(root, MANIFESTS)) {
  console.error(fault);
  failed = true;
}
console.log("each migration has its number");
await readMigrations().catch(({ message }: Error) => {
  console.error(message);
  failed = true;
});
process.exit(failed ? 1 : 0);
