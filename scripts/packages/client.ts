/**
 * Builds `@distillery/client` as it is installed elsewhere, in `server/client/dist`: one file of JavaScript
 * that needs nothing else, and declarations in which the service's procedures are written out.
 */

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { finish, packageFolders, readManifest } from "./build.ts";
import { clientTypes } from "./client-types.ts";
import { declare } from "./declarations.ts";
import { breakLines } from "./line-breaks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const client = join(root, "server/client");
const output = join(client, "dist");

/** What is typed by the router in the sources, and written out in the package. */
const PROCEDURES = "procedures.ts";

/** @returns folders of the packages that became part of it */
async function bundle(): Promise<Set<string>> {
  const built = await rolldown({
    input: join(client, "src/index.ts"),
    platform: "neutral",
    resolve: { mainFields: ["module", "main"] },
    onLog(level, { message }) {
      if (level === "warn") throw new Error(message);
    },
  });
  const { output: files } = await built.write({
    file: join(output, "index.js"),
    format: "esm",
    minify: true,
    sourcemap: true,
  });
  await built.close();
  breakLines(join(output, "index.js"));
  const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return packageFolders(modules);
}

/** Of the sources, with the procedures written out. */
function declareClient(): void {
  // Within the project, where the compiler finds the libraries.
  const sources = join(client, "build");
  rmSync(sources, { recursive: true, force: true });
  cpSync(join(client, "src"), sources, { recursive: true });
  writeFileSync(join(sources, PROCEDURES), clientTypes());
  const options = {
    extends: "../../../tsconfig.json",
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      rootDir: ".",
    },
    include: ["."],
  };
  writeFileSync(join(sources, "tsconfig.json"), JSON.stringify(options));
  declare({
    project: sources,
    folder: join(output, "types"),
    entry: "index.d.ts",
    installed: [],
  });
  rmSync(sources, { recursive: true });
}

/** @returns the folder to pack */
export async function buildClient(): Promise<string> {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const bundled = await bundle();
  declareClient();
  const { name, version, license } = readManifest(client);
  const manifest = {
    name,
    version,
    description:
      "Calls a Distillery service, in types: procedures, uploads, jobs and their events.",
    license,
    type: "module",
    engines: { node: ">=20" },
    sideEffects: false,
    exports: {
      ".": { types: "./types/index.d.ts", default: "./index.js" },
      "./package.json": "./package.json",
    },
  };
  finish(output, client, manifest, bundled);
  return output;
}
