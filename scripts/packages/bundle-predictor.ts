/**
 * The engine's sources of predicting with all that they need as JavaScript, the kernels in it. The modules
 * that need Node have others in their place.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { type OutputOptions, type Plugin, rolldown } from "rolldown";
import { packageFolders } from "./build.ts";
import { breakLines } from "./line-breaks.ts";

const engine = fileURLToPath(new URL("../../engine/", import.meta.url));
const predict = join(engine, "predict");

/** Modules of the engine that need Node, and what stands in their place. */
const REPLACED = new Map([
  [join(engine, "src/compute/kernel-module.ts"), join(predict, "src/kernel-module.ts")],
  [join(engine, "src/model/sha256.ts"), join(predict, "src/sha256.ts")],
]);
/** Functions of `Math` that differ in their last bits from one JavaScript engine to another. */
const MATH = ["cbrt", "cos", "exp", "hypot", "log", "log1p", "log2", "sin", "tanh"];
const math = Object.fromEntries(
  MATH.map((name): [string, [string, string]] => [
    `Math.${name}`,
    [join(predict, "src/math.ts"), name],
  ]),
);
const replacing: Plugin = {
  name: "replacing",
  async resolveId(id, importer, options) {
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found === null ? null : (REPLACED.get(found.id) ?? found);
  },
};

/**
 * What every schema and model refers to, and none of a predictor uses: what zod writes JSON Schemas with, a tenth of the
 * package, how it follows values that hold themselves through schemas that do, what exports ask of models, and how forecasts
 * are checked and their errors measured in training.
 */
const UNUSED =
  /\/zod\/v4\/core\/(?:json-schema-processors|memoizer|to-json-schema)\.js$|\/src\/families\/\w+\/formula\.ts$|\/src\/tasks\/forecasting\/(?:dates-in-numbers|grid-report|value-bounds|windows)\.ts$|\/src\/residuals\/forecast-errors\.ts$/;
const withoutUnused: Plugin = {
  name: "without-unused",
  load(id) {
    if (!UNUSED.test(id)) return null;
    const names = readFileSync(id, "utf8").matchAll(/^export (?:const|function|class) ([\w$]+)/gm);
    const exports = [...names].map(([, name]) => `nothing as ${name}`);
    return `const nothing = () => undefined; export { ${exports.join(", ")} };`;
  },
};

/**
 * @param entries names of modules in `engine/predict/src`; `node` alone may need Node
 * @param kernels the file of those for memory of one thread
 * @returns folders of the packages that became part of it
 */
export async function bundlePredictor(
  entries: readonly string[],
  kernels: string,
  output: OutputOptions,
): Promise<Set<string>> {
  const packed = deflateRawSync(readFileSync(kernels), { level: 9 });
  const built = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(predict, "src", `${name}.ts`)])),
    platform: "neutral",
    external: (id) => id.startsWith("node:"),
    plugins: [replacing, withoutUnused],
    transform: {
      define: { KERNELS: JSON.stringify(packed.toString("base64")) },
      inject: math,
      target: "es2022",
    },
    // What is imported for names that nothing asks for is left out, such as all that fits.
    treeshake: { moduleSideEffects: (id) => id.endsWith("/jitless.ts") },
    onLog(level, { message }) {
      if (level === "warn") throw new Error(message);
    },
  });
  const { output: files } = await built.write({ format: "esm", minify: true, ...output });
  await built.close();
  const chunks = files.flatMap((file) => (file.type === "chunk" ? [file] : []));
  const folder = output.dir ?? dirname(output.file ?? "");
  for (const { fileName } of chunks) breakLines(join(folder, fileName));
  for (const { fileName, imports } of chunks) {
    const outside = imports.filter((id) => !chunks.some((chunk) => chunk.fileName === id));
    if (fileName !== "node.js" && outside.length > 0) {
      throw new Error(`${fileName} needs ${outside.join(", ")}.`);
    }
  }
  return packageFolders(chunks.flatMap(({ moduleIds }) => moduleIds));
}
