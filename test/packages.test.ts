/** The packed engine in a project of its own: its types, its examples, and bundles of them. */

import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { build as viteBuild } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildEngine } from "../scripts/packages/build.ts";
import { pack } from "../scripts/packages/pack.ts";
import { IS_LONG } from "./support/long.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const examples = join(root, "engine/examples");

let folder: string;
beforeAll(async () => {
  if (!IS_LONG) return;
  folder = mkdtempSync(join(tmpdir(), "packages-"));
  const file = pack(await buildEngine(), folder);
  const scope = join(folder, "node_modules/@distillery");
  mkdirSync(scope, { recursive: true });
  mkdirSync(join(folder, "node_modules/@types"));
  execFileSync("tar", ["-xzf", file, "-C", scope]);
  execFileSync("mv", [join(scope, "package"), join(scope, "engine")]);
  for (const name of ["zod", "piscina"]) link(name, join(root, "engine/node_modules", name));
  link("@types/node", join(root, "node_modules/@types/node"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  for (const name of readdirSync(examples)) {
    // Two folds of one trial of each family are as good an example as four of two.
    const source = readFileSync(join(examples, name), "utf8");
    writeFileSync(
      join(folder, name),
      source.replace("nTrials: 2,\n    nCvSplits: 4,", "nTrials: 1,\n    nCvSplits: 2,"),
    );
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function link(name: string, target: string): void {
  symlinkSync(target, join(folder, "node_modules", name));
}

function run(file: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

describe.runIf(IS_LONG)("the packed engine", () => {
  it.each([
    ["nodenext", "nodenext"],
    ["bundler", "esnext"],
  ])("is typed for strict programs that resolve by %s, without the DOM", (resolution, module) => {
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: false,
      skipLibCheck: false,
      noEmit: true,
      target: "es2023",
      lib: ["es2023"],
      types: ["node"],
      module,
      moduleResolution: resolution,
    };
    const project = join(folder, `tsconfig.${resolution}.json`);
    writeFileSync(project, JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["-p", project], { cwd: folder, encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it.each([
    ["train.ts", /\d0 of 14 fits\n[\s\S]*harbour: \d+, likely from \d+ to \d+\n {2}area: -?\d+/],
    ["study.ts", /A tour of \d+ by \{/],
    ["forecast.ts", /"north"[\s\S]*: \d+\.\d, likely from \d+\.\d to \d+\.\d/],
  ])("runs its example %s", (name, output) => {
    expect(run(name)).toMatch(output);
  });

  it("runs in a bundle of esbuild", async () => {
    await esbuild({
      absWorkingDir: folder,
      entryPoints: ["forecast.ts"],
      outfile: join(folder, "bundled/esbuild.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      // It starts a file of its own by its place.
      external: ["piscina"],
    });
    expect(run("bundled/esbuild.mjs")).toContain("likely from");
  });

  it("runs in a bundle of Vite", async () => {
    await viteBuild({
      root: folder,
      configFile: false,
      logLevel: "silent",
      ssr: { noExternal: ["@distillery/engine"] },
      build: { ssr: "forecast.ts", outDir: "bundled/vite", target: "node20" },
    });
    expect(run("bundled/vite/forecast.js")).toContain("likely from");
  });

  it("says how to bundle where a bundle stands alone", async () => {
    const alone = mkdtempSync(join(tmpdir(), "alone-"));
    try {
      await esbuild({
        absWorkingDir: folder,
        entryPoints: ["train.ts"],
        outfile: join(alone, "train.mjs"),
        bundle: true,
        platform: "node",
        format: "esm",
        banner: {
          js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
        },
      });
      const { status, stderr } = spawnSync(process.execPath, ["train.mjs"], {
        cwd: alone,
        encoding: "utf8",
      });
      expect(status).not.toBe(0);
      expect(stderr).toContain("leave it out of the bundle");
    } finally {
      rmSync(alone, { recursive: true });
    }
  });

  it("contains the licences of what was bundled, and no source of the service", () => {
    const engine = join(folder, "node_modules/@distillery/engine");
    const notices = readFileSync(join(engine, "THIRD_PARTY_LICENSES"), "utf8");
    for (const name of ["apache-arrow", "parquet-wasm", "vega", "vega-lite"]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d`, "m"));
    }
    expect(readdirSync(engine)).not.toContain("src");
    expect(
      Object.keys(JSON.parse(readFileSync(join(engine, "package.json"), "utf8")).dependencies),
    ).toEqual(["piscina", "zod"]);
  });
});
