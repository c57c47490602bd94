import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "distillery a+b-")));
  writeFileSync(
    join(folder, "deep.ts"),
    `interface Cause { readonly code: string }

export function fail(why: string, { code }: Cause): never {
  throw Object.assign(new TypeError(why), { code });
}
`,
  );
  writeFileSync(
    join(folder, "main.ts"),
    `import { fail } from "./deep.ts";
type Trace = string | undefined;

export function trace(action: () => void): Trace {
  try { action(); } catch (error) { return (error as Error).stack; }
}

export const traces = (): Trace[] => [
  trace(() => fail("of one", { code: "E" })),
  trace(() => [1].map(() => fail("of \\n    two", { code: "E" }))),
  trace(() => new URL("none")),
];
`,
  );
  buildSync({
    entryPoints: [join(folder, "main.ts")],
    outfile: join(folder, "out/main.js"),
    bundle: true,
    minifyWhitespace: true,
    format: "esm",
    sourcemap: true,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The traces of a process that begins so. */
function tracesOf(begin: string): string[] {
  const module = pathToFileURL(join(folder, "out/main.js")).href;
  const script = `${begin}
    const { traces } = await import(${JSON.stringify(module)});
    console.log(JSON.stringify(traces()));`;
  const argv = ["--input-type=module", "--eval", script];
  return JSON.parse(execFileSync(process.execPath, argv, { encoding: "utf8" }));
}

const ours = (): string =>
  `const { nameSources } = await import(${JSON.stringify(new URL("./source-stacks.ts", import.meta.url).href)}); nameSources(${JSON.stringify(join(folder, "out"))});`;

/** Places in files of sources, one line each. */
const placesOf = (trace: string): string[] =>
  trace
    .split("\n")
    .flatMap((line) => /[^ (]+\.ts:\d+:\d+/.exec(line.replaceAll(folder, ""))?.[0] ?? []);

test("places are those of the sources, as Node finds them", () => {
  const named = tracesOf(ours()).map(placesOf);
  expect(named[0].slice(0, 2)).toEqual(["/deep.ts:4:23", "/main.ts:9:15"]);
  expect(named).toEqual(tracesOf("process.setSourceMapsEnabled(true);").map(placesOf));
});

test("all else of a trace is as it was", () => {
  const without = (trace: string): string =>
    trace.replaceAll(/(?:file:\/\/)?\/.*:\d+:\d+/g, "place");
  const plain = tracesOf("");
  expect(plain[2]).toMatch(/^TypeError: Invalid URL\n/);
  expect(tracesOf(ours()).map(without)).toEqual(plain.map(without));
});

test("a file without a map keeps its places", () => {
  rmSync(join(folder, "out/main.js.map"));
  expect(tracesOf(ours())).toEqual(tracesOf(""));
});
