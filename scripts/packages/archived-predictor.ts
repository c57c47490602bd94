/**
 * The predictor as model archives hold it: one file of JavaScript that needs nothing else, and the licences of
 * what is in it.
 */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { notices } from "./build.ts";
import { bundlePredictor } from "./bundle-predictor.ts";

const LICENSE = fileURLToPath(new URL("../../LICENSE", import.meta.url));

/** Writes `index.js` and `LICENSES` into a folder; whoever reads them meanwhile sees whole ones. */
export async function writeArchivedPredictor(folder: string, kernels: string): Promise<void> {
  const unfinished = join(folder, `index.js.${process.pid}`);
  const bundled = await bundlePredictor(["index"], kernels, { file: unfinished });
  const licences = join(folder, `LICENSES.${process.pid}`);
  writeFileSync(licences, `${readFileSync(LICENSE, "utf8").trim()}\n\n${notices(bundled)}`);
  renameSync(licences, join(folder, "LICENSES"));
  renameSync(unfinished, join(folder, "index.js"));
}
