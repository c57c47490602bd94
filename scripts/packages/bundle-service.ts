/**
 * Bundles what `server/src/command.ts` leads to, and each module that a thread or process runs, into one
 * folder: docs/decisions/service-bundle.md.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { parseSync, Visitor } from "rolldown/utils";
import { type Edit, edited, startedName, startsIn } from "./started-modules.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

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
  // Of Fastify and of what it is made of.
  ...["fastify", "fastify-plugin", "@fastify/ajv-compiler", "@fastify/cors", "@fastify/error"],
  ...["@fastify/forwarded", "@fastify/fast-json-stringify-compiler", "@fastify/proxy-addr"],
  ...["@fastify/merge-json-schemas", "abstract-logging", "ajv", "ajv-formats", "avvio", "dequal"],
  ...["fast-decode-uri-component", "fast-deep-equal", "fast-json-stringify", "fast-querystring"],
  ...["fast-uri", "fastq", "reusify", "find-my-way", "ipaddr.js", "json-schema-ref-resolver"],
  ...["json-schema-traverse", "process-warning", "ret", "rfdc", "safe-regex2", "semver"],
  ...["secure-json-parse", "toad-cache"],
  // Of pg-boss and the drivers of PostgreSQL.
  ...["pg-boss", "cron-parser", "luxon", "rrule-temporal", "non-error", "serialize-error"],
  ...["pg", "pg-", "pgpass", "postgres", "postgres-", "xtend", "split2"],
  ...["yazl", "buffer-crc32"],
];
/** The name of a file's package, if it is of one. */
const packageOf = (path: string): string | undefined =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path.replaceAll("\\", "/"))?.[1];
const isBundled = (name: string): boolean =>
  BUNDLED.some((each) => (each.endsWith("-") ? name.startsWith(each) : name === each));

const relativePath = (from: string, file: string): string =>
  relative(from, file).split(sep).join("/");

/**
 * What a module names by its own place lies where the sources are. What it starts, by
 * `new URL("./thread.ts", import.meta.url)` or the engine's `ownModule("thread", import.meta.url)`, becomes
 * a file of the bundle.
 */
const places = (folder: string): Plugin => ({
  name: "places",
  transform: {
    filter: {
      id: { include: /\/(?:engine|server)\/src\//, exclude: /node_modules/ },
      code: "import.meta.url",
    },
    handler(code, id) {
      const { program } = parseSync(id, code);
      const edits: Edit[] = startsIn(program, id).map(({ file, start, end }) => {
        const fileName = startedName(file);
        this.emitFile({ type: "chunk", id: file, fileName });
        return { start, end, text: `new URL("./${fileName}", import.meta.url)` };
      });
      new Visitor({
        MemberExpression(node) {
          const { object, property } = node;
          if (object.type !== "MetaProperty" || object.meta.name !== "import") return;
          if (property.type !== "Identifier" || property.name !== "url") return;
          if (edits.some((edit) => edit.start <= node.start && node.end <= edit.end)) return;
          const source = JSON.stringify(relativePath(folder, id));
          edits.push({ ...node, text: `new URL(${source}, import.meta.url).href` });
        },
      }).visit(program);
      const inOrder = edits.sort((a, b) => a.start - b.start);
      return { code: edited(code, inOrder), map: null };
    },
  },
});

/** Packages that are not bundled, by their files; `folder` is where the bundle lies. */
const installed = (folder: string, files: Set<string>): Plugin => ({
  name: "installed",
  async resolveId(id, importer, options) {
    if (importer === undefined || /^(?:\.|\/|node:)/.test(id)) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    const name = packageOf(found?.id ?? "");
    if (found === null || found.external || name === undefined || isBundled(name)) return found;
    files.add(found.id);
    return { id: relativePath(folder, found.id), external: true };
  },
});

/** Nobody steps through packages: their maps would be most of what a start reads. */
const PACKAGE_CHUNK = "package-";
function removeMap(file: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
  rmSync(`${file}.map`);
}

/** What a bundle was made of, by paths from the root of the repository. */
interface Made {
  readonly sources: readonly string[];
  /** Files that it loads from where packages are installed. */
  readonly packages: readonly string[];
}

/** Writes a bundle into a folder, where it stays. */
export async function bundleService(folder: string): Promise<Made> {
  const packages = new Set<string>();
  const built = await rolldown({
    input: { command: join(root, "server/src/command.ts") },
    platform: "node",
    // As groups of packages need that do not draw in what these import.
    preserveEntrySignatures: "allow-extension",
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
      includeDependenciesRecursively: false,
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
    if (name.startsWith(PACKAGE_CHUNK)) removeMap(join(folder, fileName));
  }
  const paths = (files: Iterable<string>): string[] =>
    [...new Set(files)].map((file) => relativePath(root, file)).sort();
  return {
    sources: paths(
      chunks
        .flatMap(({ moduleIds }) => moduleIds)
        .filter((id) => id.startsWith(root) && packageOf(id) === undefined),
    ),
    packages: paths(packages),
  };
}
