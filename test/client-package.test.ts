/**
 * The packed client in a project of its own: its types, its example, its size. That its types are those of
 * the service's router is for `pnpm packages`.
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildClient } from "../scripts/packages/client.ts";
import { pack } from "../scripts/packages/pack.ts";
import { SharedServer } from "./support/shared-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = join(root, "node_modules/.bin/tsc");

let folder: string;
let installed: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "client-package-"));
  const file = pack(await buildClient(), folder);
  const scope = join(folder, "node_modules/@distillery");
  mkdirSync(scope, { recursive: true });
  mkdirSync(join(folder, "node_modules/@types"));
  execFileSync("tar", ["-xzf", file, "-C", scope]);
  installed = join(scope, "client");
  execFileSync("mv", [join(scope, "package"), installed]);
  symlinkSync(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "train.ts"), readFileSync(join(installed, "examples/train.ts")));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2023",
};

/** @returns what the compiler says */
function compiled(name: string, options: object, files: readonly string[]): string {
  const project = join(folder, `tsconfig.${name}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
  return spawnSync(tsc, ["-p", project], { cwd: folder, encoding: "utf8" }).stdout;
}

describe("the packed client", () => {
  it.each([
    ["nodenext", "nodenext", ["es2023"], ["node"]],
    ["bundler", "esnext", ["es2023"], ["node"]],
    ["bundler", "esnext", ["es2023", "dom", "dom.iterable"], []],
  ])(
    "is typed for strict programs that resolve by %s as %s, with %s and the types of %s",
    (moduleResolution, module, lib, types) => {
      const page =
        'import { createClient } from "@distillery/client";\ncreateClient({ url: location.href });\n';
      writeFileSync(join(folder, "page.ts"), page);
      const file = types.length > 0 ? "train.ts" : "page.ts";
      expect(compiled("program", { moduleResolution, module, lib, types }, [file])).toBe("");
    },
  );

  it("runs its example against a service", async () => {
    const server = await SharedServer.join();
    // What is typed above, as it stands but for the length of its search.
    const example = readFileSync(join(folder, "train.ts"), "utf8");
    expect(example).toContain("n_trials: 2");
    const quick = example.replace("n_trials: 2", "n_trials: 1, n_cv_splits: 2");
    writeFileSync(join(folder, "quick.ts"), quick);
    const child = spawn(process.execPath, ["quick.ts"], {
      cwd: folder,
      env: { ...process.env, DISTILLERY_URL: server.baseUrl, DISTILLERY_API_KEY: server.key },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
    });
    const [code] = await once(child, "close");
    expect(said).toMatch(/^sent (\d+) of \1 bytes\nhouses\.csv: 400 rows, 4 columns\n/);
    expect(said).toMatch(/a house by the harbour: \{"value":\d+/);
    expect(said).toMatch(/refused: instances\.0\.area: /);
    expect(code).toBe(0);
  });

  it("is small, for browsers too, and needs nothing else", async () => {
    const code = readFileSync(join(installed, "index.js"), "utf8");
    expect(code.length).toBeLessThan(50_000);
    // Node prints the line of an error that nobody caught.
    expect(Math.max(...code.split("\n").map(({ length }) => length))).toBeLessThan(1_000);
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(manifest.dependencies).toBeUndefined();
    const { outputFiles } = await esbuild({
      absWorkingDir: folder,
      stdin: {
        contents:
          'import { createClient } from "@distillery/client"; createClient({ url: location.href });',
        resolveDir: folder,
      },
      bundle: true,
      minify: true,
      platform: "browser",
      format: "esm",
      write: false,
    });
    expect(outputFiles[0].contents.length).toBeLessThan(50_000);
    const notices = readFileSync(join(installed, "THIRD_PARTY_LICENSES"), "utf8");
    for (const name of ["@trpc/client", "eventsource-parser"]) expect(notices).toContain(name);
  });
});
