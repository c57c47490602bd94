/**
 * Builds `@distillery/predict` as it is installed elsewhere, in `engine/predict/dist`: the engine's sources
 * of predicting with all that they need in one file of JavaScript, the kernels in it and beside it, and
 * declarations.
 */

import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { finish, readManifest } from "./build.ts";
import { builtKernels } from "./built-kernels.ts";
import { bundlePredictor } from "./bundle-predictor.ts";
import { declare } from "./declarations.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const engine = join(root, "engine");
const predict = join(engine, "predict");
const output = join(predict, "dist");
const KERNELS_FILE = "kernels.wasm";

/** @returns folders of the packages that became part of it */
const bundle = (): Promise<Set<string>> =>
  bundlePredictor(["index", "node"], join(output, KERNELS_FILE), {
    dir: output,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [{ name: "predictor", test: /(?<!\/predict\/src\/(index|node)\.ts)$/ }],
    },
    sourcemap: true,
  });

/** @returns the folder to pack */
export async function buildPredict(): Promise<string> {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  copyFileSync(builtKernels("own"), join(output, KERNELS_FILE));
  const bundled = await bundle();
  declare({
    project: join(predict, "tsconfig.package.json"),
    folder: join(output, "types"),
    entry: "predict/src/index.d.ts",
    installed: [],
  });
  const { name, version, license } = readManifest(predict);
  const types = "./types/predict/src/index.d.ts";
  const manifest = {
    name,
    version,
    description: "Answers rows by a trained Distillery model: in Node, browsers and edge runtimes.",
    license,
    type: "module",
    engines: { node: ">=20" },
    exports: {
      ".": { types, node: "./node.js", default: "./index.js" },
      "./kernels.wasm": `./${KERNELS_FILE}`,
      "./package.json": "./package.json",
    },
  };
  finish(output, predict, manifest, bundled);
  return output;
}
