/**
 * Writes the engine's reference to `html/` beside this file. With `--strict` it fails where something
 * public has no documentation or a link leads nowhere. TypeDoc reads TypeScript up to 6, so this package has one of
 * its own beside the project's.
 */

import { spawnSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

const HELP = `pnpm reference [--strict]

Writes the engine's reference to reference/html. With --strict, as pnpm gives it, it fails where something
public has no documentation or a link leads nowhere.`;

const { values } = parseArgs({
  options: { strict: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const folder = import.meta.dirname;
const output = join(folder, "html");
const typedoc = createRequire(import.meta.url).resolve("typedoc/package.json");
// Written beside the old pages and moved over them: whoever reads them meanwhile sees whole ones.
const unfinished = `${output}.${process.pid}`;
const { status, error } = spawnSync(
  process.execPath,
  [
    join(dirname(typedoc), "bin/typedoc"),
    ...["--options", folder, "--out", unfinished],
    ...(values.strict ? ["--treatWarningsAsErrors"] : []),
  ],
  { stdio: "inherit", cwd: folder },
);
if (error) throw error;
if (status === 0) {
  rmSync(output, { recursive: true, force: true });
  renameSync(unfinished, output);
} else {
  rmSync(unfinished, { recursive: true, force: true });
  process.exit(status ?? 1);
}
