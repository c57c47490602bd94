/**
 * Builds `@distillery/predict` as it is installed elsewhere, in `engine/predict/dist`: the engine's sources
 * of predicting with all that they need in one file of JavaScript, the kernels in it and beside it, and
 * declarations.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { finish, readManifest } from "./build.ts";
import { builtKernels } from "./built-kernels.ts";
import { bundlePredictor } from "./bundle-predictor.ts";

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

/** Declarations of all that the entry's mention: of this package alone. */
function declare(): void {
  const folder = join(output, "types");
  const project = join(predict, "tsconfig.package.json");
  const compiled = spawnSync("tsc", ["-p", project, "--outDir", folder], { stdio: "inherit" });
  if (compiled.status !== 0) throw new Error("The declarations were not made.");
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, "utf8").replace(
      /((?:from|import\()\s*")([^"]*)"|^import "[^"]*";\n/gm,
      (_, before?: string, path?: string) => {
        if (before === undefined || path === undefined) return "";
        if (!path.startsWith(".")) {
          throw new Error(`${relative(folder, file)} shows types of ${path}.`);
        }
        follow(join(dirname(file), path.replace(/\.ts$/, ".d.ts")));
        return `${before}${path.replace(/\.ts$/, ".js")}"`;
      },
    );
    writeFileSync(file, text);
  };
  follow(join(folder, "predict/src/index.d.ts"));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(file)) rmSync(file);
  }
}

/** @returns the folder to pack */
export async function buildPredict(): Promise<string> {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  copyFileSync(builtKernels("own"), join(output, KERNELS_FILE));
  const bundled = await bundle();
  declare();
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
