/**
 * Builds the console (`server/console`) where what its last build read has changed since. Files are named
 * by their content and added before the page that names them; those of the build before stay, so that
 * neither an open page nor a second build at the same time misses any.
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const root = fileURLToPath(new URL("../", import.meta.url));
const project = join(root, "server/console");
const dist = join(project, "dist");
const note = join(dist, "build.json");

/** What one build was. */
interface Build {
  /** When it began, milliseconds since 1970. */
  readonly began: number;
  /** All that it read, by paths from the root of the repository. */
  readonly sources: readonly string[];
  /** Those below `assets/`. */
  readonly files: readonly string[];
}

/** Read by every build, beside the modules. */
const SETTINGS = [
  "server/console/index.html",
  "server/console/package.json",
  "server/console/vite.config.ts",
  "pnpm-lock.yaml",
  "scripts/build-console.ts",
];
/** A shorter file gains nothing. */
const LEAST_BYTES = 1024;
const COMPRESSED = /\.(?:js|css|svg|json|wasm)$/;

/** @throws Error where a source cannot be built */
export async function buildConsole(): Promise<void> {
  const last = lastBuild();
  if (last !== null && isFresh(last)) return;
  const began = Date.now();
  const cache = join(project, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "build-"));
  try {
    const modules = await bundle(scratch);
    const made = join(scratch, "assets");
    await Promise.all(readdirSync(made).map((name) => compress(join(made, name))));
    const files = readdirSync(made);
    const assets = join(dist, "assets");
    mkdirSync(assets, { recursive: true });
    for (const name of files) renameSync(join(made, name), join(assets, name));
    renameSync(join(scratch, "index.html"), join(dist, "index.html"));
    const build: Build = { began, sources: [...SETTINGS, ...modules], files };
    writeFileSync(join(scratch, "build.json"), JSON.stringify(build));
    renameSync(join(scratch, "build.json"), note);
    const kept = new Set([...files, ...(last?.files ?? [])]);
    for (const name of readdirSync(assets)) {
      if (!kept.has(name)) rmSync(join(assets, name), { force: true });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function lastBuild(): Build | null {
  return existsSync(note) ? JSON.parse(readFileSync(note, "utf8")) : null;
}

const isFresh = ({ began, sources, files }: Build): boolean =>
  files.every((name) => existsSync(join(dist, "assets", name))) &&
  sources.every((path) => {
    const file = statSync(join(root, path), { throwIfNoEntry: false });
    return file !== undefined && file.mtimeMs < began;
  });

/** @returns the modules of the repository that it read, by paths from its root */
async function bundle(folder: string): Promise<string[]> {
  // Loaded where it is needed: it takes longer to start than to find that nothing has changed.
  const { build } = await import("vite");
  const modules = new Set<string>();
  await build({
    root: project,
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true },
    plugins: [
      {
        name: "sources",
        buildEnd() {
          for (const id of this.getModuleIds()) modules.add(id.split("?", 1)[0]!);
        },
      },
    ],
  });
  return [...modules]
    .filter((path) => path.startsWith(root) && !path.includes(`${sep}node_modules${sep}`))
    .map((path) => relative(root, path).split(sep).join("/"))
    .filter((path) => !SETTINGS.includes(path));
}

async function compress(path: string): Promise<void> {
  const content = readFileSync(path);
  if (!COMPRESSED.test(path) || content.length < LEAST_BYTES) return;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gz);
}

if (import.meta.main) {
  try {
    await buildConsole();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    // The service works without its console, and its page says that it is not there.
    const isOptional = process.argv.includes("--optional");
    console.error(
      `The console could not be built.${isOptional ? " The service starts without." : ""}`,
    );
    process.exitCode = isOptional ? 0 : 1;
  }
}
