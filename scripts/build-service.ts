/**
 * Bundles the service (`server/src/command.ts` and what it runs in threads and processes) into
 * `server/dist`, where the last bundle is not of these sources: docs/decisions/service-bundle.md.
 */

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "rolldown";
import {
  BUNDLES,
  currentBundle,
  digestOf,
  lastBundle,
  NOTE,
  type ServiceBundle,
} from "../server/src/bundle.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** What runs the service. */
const COMMAND = "server/src/command";

/** Bundles are kept so long for servers that run. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Read by every build, beside the modules. */
const SETTINGS = [
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "scripts/build-service.ts",
  "tsconfig.json",
];

/**
 * Packages of many small modules, which take longer to find than to run, and that start no files of their
 * own. All others are loaded from where they are installed.
 */
const BUNDLED = [
  ...[
    "apache-arrow",
    "flatbuffers",
    "tslib",
    "zod",
    "zod-openapi",
    "hyparquet",
    "hyparquet-writer",
  ],
  ...["@trpc/server", "jose", "parse5", "entities", "csv-parse", "openai", "@duckdb/node-api"],
  ...["vega", "vega-", "d3-", "topojson-client", "internmap", "delaunator", "robust-predicates"],
];
/** The name of a file's package, if it is of one. */
const packageOf = (path: string): string | undefined =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path.replaceAll("\\", "/"))?.[1];
const isBundled = (name: string): boolean =>
  BUNDLED.some((each) => (each.endsWith("-") ? name.startsWith(each) : name === each));

/** `new URL("./thread.ts", import.meta.url)` and the engine's `ownModule("thread", import.meta.url)`. */
const STARTED =
  /new URL\(\s*"(\.[^"]*)\.ts",\s*import\.meta\.url\s*\)|ownModule\(\s*"([^"]+)",\s*import\.meta\.url\s*\)/g;
const PLACES = new RegExp(`${STARTED.source}|import\\.meta\\.url`, "g");

/** From the root of the repository, as the note has paths. */
const pathOf = (file: string): string => relative(root, file).split(sep).join("/");
const changedAt = (file: string): number => statSync(file).mtimeMs;

/** A module that another one starts, by its path from the root without the ending. */
const moduleAt = (path: string, from: string): string => pathOf(resolve(dirname(from), path));

/** Modules of threads and processes have names of their own in the one folder of a bundle. */
const entryName = (path: string): string =>
  path.startsWith("engine/")
    ? basename(path)
    : path.replace(/^server\/src\//, "").replaceAll("/", "-");

/** What the sources start by a file of its own, by paths from the root without the ending. */
function startedModules(): string[] {
  const folders = ["engine/src", "server/src"].map((each) => join(root, each));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.includes(`${sep}testing${sep}`)),
  );
  const started = files.flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(STARTED), ([, path, name]) =>
      moduleAt(path ?? name ?? "", file),
    ),
  );
  return [...new Set(started)];
}

/** What a module names by its own place is where the sources are, but for modules that are started. */
const places = (folder: string): Plugin => ({
  name: "places",
  transform: {
    filter: {
      id: { include: /\/(?:engine|server)\/src\//, exclude: /node_modules/ },
      code: "import.meta.url",
    },
    handler(code, id) {
      const source = JSON.stringify(relative(folder, id).split(sep).join("/"));
      const placed = code.replace(PLACES, (found, path?: string, name?: string) => {
        const started = path ?? name;
        const url =
          started === undefined
            ? `new URL(${source}, import.meta.url).href`
            : `new URL("./${entryName(moduleAt(started, id))}.js", import.meta.url)`;
        return url + "\n".repeat(found.split("\n").length - 1);
      });
      // Lines are where they were.
      return { code: placed, map: null };
    },
  },
});

/** Packages that are not bundled, by their files; `folder` is where the bundle will lie. */
const installed = (folder: string, files: Set<string>): Plugin => ({
  name: "installed",
  async resolveId(id, importer, options) {
    if (importer === undefined || /^(?:\.|\/|node:)/.test(id)) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    const name = packageOf(found?.id ?? "");
    if (found === null || found.external || name === undefined || isBundled(name)) return found;
    files.add(pathOf(found.id));
    return { id: relative(folder, found.id).split(sep).join("/"), external: true };
  },
});

/** Nobody steps through packages: their maps would be most of what a start reads. */
const PACKAGE_CHUNK = "package-";
const withoutMap = (file: string): void => {
  writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
  rmSync(`${file}.map`);
};

/** Writes a bundle into a folder. @returns what it read of the repository, and the files of packages */
async function bundle(folder: string): Promise<{ sources: string[]; packages: string[] }> {
  // Loaded where it is needed: it takes longer to start than to find that nothing has changed.
  const { rolldown } = await import("rolldown");
  const packages = new Set<string>();
  const entries = [COMMAND, ...startedModules()];
  const built = await rolldown({
    input: Object.fromEntries(entries.map((path) => [entryName(path), join(root, `${path}.ts`)])),
    platform: "node",
    plugins: [places(folder), installed(folder, packages)],
    onLog(level, { message }) {
      if (level === "warn") throw new Error(message);
    },
  });
  const { output } = await built.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    keepNames: true,
    sourcemap: true,
    codeSplitting: {
      groups: [
        {
          debugName: "packages",
          test: /node_modules/,
          name: (id) => `${PACKAGE_CHUNK}${packageOf(id)?.replaceAll("/", "-")}`,
        },
      ],
    },
  });
  await built.close();
  const chunks = output.filter((file) => file.type === "chunk");
  for (const { name, fileName } of chunks) {
    if (name.startsWith(PACKAGE_CHUNK)) withoutMap(join(folder, fileName));
  }
  const own = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .filter((path) => path.startsWith(root) && packageOf(path) === undefined)
    .map(pathOf);
  return { sources: [...SETTINGS, ...own].sort(), packages: [...packages].sort() };
}

/** Two at the same time each make their own; the last to be done is taken. */
async function buildService(): Promise<void> {
  if (currentBundle() !== null) return;
  const began = Date.now();
  const last = lastBundle();
  mkdirSync(BUNDLES, { recursive: true });
  const folder = mkdtempSync(join(BUNDLES, "bundle-"));
  try {
    chmodSync(folder, 0o755);
    const { sources, packages } = await bundle(folder);
    const digest = digestOf(sources);
    if (digest === null || sources.some((path) => changedAt(join(root, path)) >= began)) {
      throw new Error("The sources changed while they were bundled.");
    }
    const made: ServiceBundle = { digest, folder: basename(folder), sources, packages };
    const note = join(folder, basename(NOTE));
    writeFileSync(note, JSON.stringify(made));
    renameSync(note, NOTE);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  removeOld(new Set([basename(NOTE), basename(folder), last?.folder]), began);
}

/** Servers that run go on with older bundles. */
function removeOld(kept: ReadonlySet<string | undefined>, now: number): void {
  for (const name of readdirSync(BUNDLES)) {
    const path = join(BUNDLES, name);
    if (kept.has(name) || changedAt(path) > now - KEPT_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

try {
  await buildService();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error("The service could not be bundled: it runs from its sources, and starts slower.");
}
