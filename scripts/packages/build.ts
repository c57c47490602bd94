/**
 * Builds `@distillery/engine` as it is installed elsewhere: JavaScript for Node ≥ 20 with source maps,
 * declarations, the kernels and a package file of its own, in `engine/dist`. Libraries that only the
 * inside uses (Arrow, Parquet, the plotting of reports) are part of the JavaScript; what callers meet in
 * types (zod) or what starts files of its own (piscina) stays a dependency.
 */

import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { z } from "zod";
import { declare } from "./declarations.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const engine = join(root, "engine");
const sources = join(engine, "src");
const output = join(engine, "dist");

/** Dependencies of the package; all others are bundled. */
const INSTALLED = ["piscina", "zod"];
/** What only those install who have a GPU: it is larger than all else together. */
const OPTIONAL = ["webgpu"];
/** Likewise, at the version whose API the tests have; even the service does not install it by itself. */
const OPTIONAL_PEERS = { "@tensorflow/tfjs-node-gpu": "4.22.0" };
const KERNELS_FILE = "kernels.wasm";
const LOADED = [
  "tasks.js",
  "desk-thread.js",
  "probe-process.js",
  "parquet-worker.js",
  KERNELS_FILE,
];

/** Its node build asks for its file by `__dirname`, which a module has not. */
const PARQUET_FILE = "parquet_wasm_bg.wasm";
const ofEngine = createRequire(join(engine, "package.json"));
const parquetModule = JSON.stringify(ofEngine.resolve("parquet-wasm/esm"));
const parquetBesideIt: Plugin = {
  name: "parquet-beside-it",
  resolveId: (id) => (id === "parquet-wasm" ? "\0parquet-wasm" : null),
  load: (id) =>
    id === "\0parquet-wasm"
      ? `import { readFileSync } from "node:fs";
         import { initSync } from ${parquetModule};
         initSync({ module: readFileSync(new URL("./${PARQUET_FILE}", import.meta.url)) });
         export * from ${parquetModule};`
      : null,
};

/** Chunks of code that is not ours, which nobody steps through: maps would double their size. */
const LIBRARIES = ["plotting", "libraries"];

function withoutMap(name: string): void {
  const file = join(output, name);
  writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
  rmSync(`${file}.map`);
}

/** @returns folders of the packages that became part of it */
async function bundle(): Promise<Set<string>> {
  const built = await rolldown({
    // Every entry lies in the one folder of the output, so that what a module names beside it is there.
    input: {
      index: join(sources, "index.ts"),
      tasks: join(sources, "worker/tasks.ts"),
      "desk-thread": join(sources, "compute/gpu/desk-thread.ts"),
      "probe-process": join(sources, "compute/gpu/probe-process.ts"),
      "parquet-worker": join(sources, "data/readers/parquet-worker.ts"),
    },
    platform: "node",
    external: (id) => id.startsWith("node:") || INSTALLED.includes(id),
    plugins: [parquetBesideIt],
    onLog(level, { message }) {
      if (level === "warn") throw new Error(message);
    },
  });
  const { output: files } = await built.write({
    dir: output,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    sourcemap: true,
    codeSplitting: {
      groups: [
        { name: "plotting", test: /node_modules\/\.pnpm\/(vega|d3-|topojson)/ },
        { name: "libraries", test: /node_modules/ },
      ],
    },
  });
  await built.close();
  for (const file of files) {
    if (file.type === "chunk" && LIBRARIES.includes(file.name)) withoutMap(file.fileName);
  }
  const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return packageFolders(modules);
}

/** @returns those of the packages that modules are of */
export const packageFolders = (modules: readonly string[]): Set<string> =>
  new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));

/** What the licences of bundled packages ask for: their texts. */
export function notices(folders: ReadonlySet<string>): string {
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = readManifest(folder);
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
    const own = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...own].join("\n\n");
  });
  return `The JavaScript of this package contains these:\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** What every package has beside its code: licences, its README, its examples and its package file. */
export function finish(
  output: string,
  source: string,
  manifest: object,
  bundled: ReadonlySet<string>,
): void {
  copyFileSync(join(root, "LICENSE"), join(output, "LICENSE"));
  copyFileSync(join(source, "README.md"), join(output, "README.md"));
  cpSync(join(source, "examples"), join(output, "examples"), { recursive: true });
  writeFileSync(join(output, "THIRD_PARTY_LICENSES"), notices(bundled));
  writeFileSync(join(output, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

export const readManifest = (folder: string): z.infer<typeof manifestSchema> =>
  manifestSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));

function manifest(): object {
  const { name, version, license, dependencies, optionalDependencies } = readManifest(engine);
  const peers = {
    ...Object.fromEntries(OPTIONAL.map((each) => [each, optionalDependencies[each]])),
    ...OPTIONAL_PEERS,
  };
  return {
    name,
    version,
    description: "Trains, loads and explains models of tables, series and sequences.",
    license,
    type: "module",
    engines: { node: ">=20" },
    exports: {
      ".": { types: "./types/index.d.ts", default: "./index.js" },
      // What a program that bundled the package loads by its place; no names to import.
      ...Object.fromEntries(LOADED.map((file) => [`./${file}`, `./${file}`])),
      "./package.json": "./package.json",
    },
    dependencies: Object.fromEntries(INSTALLED.map((each) => [each, dependencies[each]])),
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(peers).map((each) => [each, { optional: true }]),
    ),
  };
}

/** @returns the folder to pack */
export async function buildEngine(): Promise<string> {
  rmSync(output, { recursive: true, force: true });
  const bundled = await bundle();
  declare({
    project: join(engine, "tsconfig.package.json"),
    folder: join(output, "types"),
    entry: "index.d.ts",
    installed: INSTALLED,
  });
  copyFileSync(ofEngine.resolve(`parquet-wasm/esm/${PARQUET_FILE}`), join(output, PARQUET_FILE));
  copyFileSync(join(sources, "compute", KERNELS_FILE), join(output, KERNELS_FILE));
  finish(output, engine, manifest(), bundled);
  return output;
}

if (import.meta.main) await buildEngine();
