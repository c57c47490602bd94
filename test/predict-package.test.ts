/**
 * The packed predictor in a project of its own: the service's answers bit for bit, in Node, in bundles and in
 * a browser; its types; its size; and damaged archives.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import {
  explain,
  explanationsOf,
  predict,
  predictionsOf,
  type Rows,
  rowsKindOf,
} from "@distillery/engine";
import { build as esbuild } from "esbuild";
import { build as viteBuild } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as Predict from "../engine/predict/src/index.ts";
import { packModel, unpackModel } from "../engine/src/model/packed.ts";
import { findBrowser } from "../scripts/browser.ts";
import { pack } from "../scripts/packages/pack.ts";
import { buildPredict } from "../scripts/packages/predict.ts";
import { readRows } from "../server/src/platform/compute/model-rows.ts";
import { UnprocessableError } from "../server/src/platform/input/problem.ts";
import { resultOfPage } from "./support/browser.ts";
import { IS_LONG } from "./support/long.ts";
import { type SmallModel, smallModels } from "./support/small-models.ts";
import { filesIn, zipOf } from "./support/zip.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const MOST_BYTES = 160_000;
const SEEDS = Array.from({ length: 4 }, (_, i) => i);

/** What is asked of a model, and what the engine answers, as JSON. */
interface Case {
  readonly archive: string;
  readonly questions: readonly {
    readonly operation: "predict" | "explain";
    readonly rows: Rows;
    readonly answer: string;
  }[];
}

let folder: string;
let installed: string;
let models: readonly SmallModel[];
let cases: readonly Case[];
let library: typeof Predict;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "predict-package-"));
  installed = join(folder, "node_modules/@distillery/predict");
  mkdirSync(installed, { recursive: true });
  const file = pack(await buildPredict(), folder);
  execFileSync("tar", ["-xzf", file, "-C", installed, "--strip-components=1"]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  library = await import(pathToFileURL(join(installed, "node.js")).href);
  models = await smallModels(folder);
  cases = await Promise.all(models.map(caseOf));
  writeFileSync(join(folder, "cases.json"), JSON.stringify(cases));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Archives are as different as zips of a folder are. */
async function caseOf(model: SmallModel, place: number): Promise<Case> {
  const archive = `model-${place}.zip`;
  const zip = zipOf(filesIn(model.folder), {
    deflated: place % 2 === 0,
    prefix: place % 3 === 0 ? "model/" : "",
  });
  writeFileSync(join(folder, archive), zip);
  const questions: Case["questions"][number][] = [];
  for (const rows of SEEDS.map((seed) => model.rows(seed))) {
    const asked = { folder: model.folder, rows };
    const predicted = predictionsOf(await predict(asked));
    questions.push({ operation: "predict", rows, answer: JSON.stringify(predicted) });
    const explained = explanationsOf(await explain(asked));
    questions.push({ operation: "explain", rows, answer: JSON.stringify(explained) });
  }
  return { archive, questions };
}

const loaded = (archive: string): Promise<Predict.Model> =>
  library.loadModel(pathToFileURL(join(folder, archive)));

describe("the packed predictor in Node", () => {
  it("answers what the engine answers, for every family and kind of task", async () => {
    expect(models.length).toBeGreaterThan(20);
    for (const { archive, questions } of cases) {
      const model = await loaded(archive);
      for (const { operation, rows, answer } of questions) {
        expect(JSON.stringify(model[operation](rows))).toBe(answer);
      }
    }
  });

  it("answers many rows, whose memory moves while it grows, and another coverage", async () => {
    for (const [place, { folder: own, rows }] of models.entries()) {
      const given = rows(2);
      if (!("instances" in given) || (await rowsKindOf(own)) !== "rows") continue;
      const instances = Array.from(
        { length: 5000 },
        (_, i) => given.instances[i % given.instances.length],
      );
      const model = await loaded(cases[place].archive);
      const want = predictionsOf(
        await predict({ folder: own, rows: { instances }, coverage: 0.7 }),
      );
      expect(model.predict(instances, { coverage: 0.7 })).toStrictEqual(want);
    }
  });

  it("tells task, columns and card, and answers no more once it is disposed of", async () => {
    const model = await loaded("model-0.zip");
    expect(model.task.kind).toBe("regression");
    expect(model.labelColumn).toBe("y");
    expect(model.columns.map(({ name }) => name)).toContain("district");
    expect(model.card.rows).toBe(240);
    model.dispose();
    expect(() => model.predict([])).toThrow("disposed of");
  });

  it("loads bytes, blobs, responses, files by a function, and folders by URL", async () => {
    const { archive, questions } = cases[0];
    const bytes = readFileSync(join(folder, archive));
    const [{ rows, answer }] = questions;
    for (const source of [
      bytes,
      Uint8Array.from(bytes).buffer,
      new Blob([Uint8Array.from(bytes)]),
      new Response(Uint8Array.from(bytes)),
      { read: async (path: string) => readFileSync(join(models[0].folder, path)) },
      pathToFileURL(`${models[0].folder}/`),
    ]) {
      const model = await library.loadModel(source);
      expect(JSON.stringify(model.predict(rows))).toBe(answer);
    }
    const wrong = "model.zip" as unknown as Uint8Array;
    await expect(library.loadModel(wrong)).rejects.toThrow("was given a string");
    await expect(library.loadModel(new Response("", { status: 404 }))).rejects.toThrow("404");
  });

  it("runs where neither texts nor bytes may become code, on kernels that are given", () => {
    writeFileSync(
      join(folder, "edge.js"),
      `import { readFileSync } from "node:fs";
       import { createRequire } from "node:module";
       const path = createRequire(import.meta.url).resolve("@distillery/predict/kernels.wasm");
       const kernels = new WebAssembly.Module(readFileSync(path));
       WebAssembly.compile = () => { throw new Error("not here"); };
       delete globalThis.SharedArrayBuffer;
       const { loadModel } = await import("./node_modules/@distillery/predict/index.js");
       const [{ archive, questions }] = JSON.parse(readFileSync("cases.json", "utf8"));
       const model = await loadModel(readFileSync(archive), { kernels });
       for (const { operation, rows, answer } of questions) {
         if (JSON.stringify(model[operation](rows)) !== answer) throw new Error("another answer");
       }
       console.log(questions.length);`,
    );
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--disallow-code-generation-from-strings", "edge.js"],
      { cwd: folder, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toBe(`${cases[0].questions.length}\n`);
  });
});

describe("rows that are not the model's", () => {
  /** What the service says of a body, without where it stands. */
  async function saidByService(place: number, body: unknown): Promise<unknown> {
    const { folder: own } = models[place];
    try {
      const rows = readRows(body, "predict", await rowsKindOf(own));
      await predict({ folder: own, rows });
    } catch (error) {
      if (error instanceof UnprocessableError) {
        return error.detail.map(({ loc, msg, type }) => ({ loc: loc.slice(1), msg, type }));
      }
      return String(error);
    }
    return null;
  }

  it.each([
    { instances: [] },
    { instances: [{ area: 1 }, 7] },
    { instances: [{ area: [1] }, { district: { a: 1 } }] },
    { instances: {} },
    { instances: [{ area: 1 }], more: 1 },
    { columns: ["area"] },
    { columns: ["area", 3], data: [[1, 2]] },
    { columns: ["area"], data: [7, [{}]] },
    { history: [{ area: 1 }] },
    {},
  ])("are refused in the service's words: %j", async (body) => {
    const said = await saidByService(0, body);
    expect(said).toBeInstanceOf(Array);
    const model = await loaded(cases[0].archive);
    const error = refusal(() => model.predict(body as unknown as Predict.Rows));
    expect(error.detail.map(({ loc, msg, type }) => ({ loc, msg, type }))).toEqual(said);
  });

  it.each([
    [{ instances: [{ area: 1 }, { area: "many" }] }, ["instances", 1, "area"]],
    [{ instances: [{ built: "soon" }] }, ["instances", 0, "built"]],
    [{ columns: ["area", "sold"], data: [[1, "perhaps"]] }, ["data", 0, 1]],
    [{ columns: ["area", "area"], data: [[1, 2]] }, ["columns", 1]],
    [{ columns: ["area"], data: [[1, 2]] }, ["data", 0]],
  ])("are named by row and column: %j", async (rows, loc) => {
    const model = await loaded(cases[0].archive);
    const error = refusal(() => model.predict(rows));
    const said = await predict({ folder: models[0].folder, rows }).catch(({ message }) => message);
    expect(error.detail).toMatchObject([{ loc, msg: `Value error, ${said}` }]);
  });

  it("may have dates", async () => {
    const model = await loaded(cases[0].archive);
    const [date, text] = [new Date("2031-02-03"), "2031-02-03"];
    expect(model.predict([{ built: date }])).toEqual(model.predict([{ built: text }]));
  });

  function refusal(action: () => unknown): Predict.RowsError {
    try {
      action();
    } catch (error) {
      if (error instanceof library.RowsError) return error;
      throw error;
    }
    throw new Error("It was answered.");
  }
});

describe("archives that are damaged", () => {
  const filesOf = (place: number): [string, Uint8Array][] => filesIn(models[place].folder);
  const refused = async (zip: Uint8Array): Promise<string> => {
    const error = await library.loadModel(zip).catch((reason: unknown) => reason);
    if (error instanceof library.ModelFormatError) return error.message;
    throw new Error(`It was taken, or fell: ${error}`);
  };

  it("are refused, with the name of the file, whatever bit of it is another", async () => {
    for (const deflated of [false, true]) {
      const files = filesOf(4);
      for (const [path] of files.filter(([name]) => name.endsWith(".dsm"))) {
        const changed = files.map(([name, bytes]): [string, Uint8Array] => {
          if (name !== path) return [name, bytes];
          const other = Uint8Array.from(bytes);
          other[other.length >> 1] ^= 4;
          return [name, other];
        });
        expect(await refused(zipOf(changed, { deflated }))).toContain(path);
      }
    }
  });

  it("are refused, with the name of the file, where its hash was made of what is wrong", async () => {
    for (const { folder: own } of models) {
      const files = filesIn(own);
      const document = JSON.parse(Buffer.from(new Map(files).get("model.json") ?? []).toString());
      for (const [path, bytes] of files.filter(([name]) => name.endsWith(".dsm"))) {
        // Evaluations alone read it.
        if (path === document.rowSketch?.file) continue;
        const saved = unpackModel(bytes, path);
        const [first] = Object.keys(saved.tensors);
        for (const wrong of [
          { ...saved, header: null },
          { ...saved, header: { version: 99 } },
          ...(first === undefined
            ? []
            : [{}, { ...saved.tensors, [first]: new Uint16Array(3) }].map((tensors) => ({
                ...saved,
                tensors,
              }))),
        ]) {
          const packed = packModel(wrong);
          const sha256 = createHash("sha256").update(packed).digest("hex");
          const listed = document.files.map((file: { path: string }) =>
            file.path === path ? { path, bytes: packed.length, sha256 } : file,
          );
          const changed = files.map(([name, old]): [string, Uint8Array] => {
            if (name === path) return [name, packed];
            const json = () => Buffer.from(JSON.stringify({ ...document, files: listed }));
            return [name, name === "model.json" ? json() : old];
          });
          expect(await refused(zipOf(changed))).toContain(path);
        }
      }
    }
  });

  it("are refused where a byte of the zip itself is another, or are answered alike", async () => {
    const zip = zipOf(filesOf(4), { deflated: true });
    const rows = models[4].rows(1);
    const answer = JSON.stringify((await library.loadModel(zip)).predict(rows));
    for (let i = 1; i <= 300; i++) {
      const other = Uint8Array.from(zip);
      other[Math.floor((i * zip.length) / 301)] ^= 1 << (i % 8);
      const model = await library.loadModel(other).catch((error: unknown) => error);
      if (model instanceof library.ModelFormatError) continue;
      if (model instanceof Error) throw model;
      expect(JSON.stringify((model as Predict.Model).predict(rows))).toBe(answer);
    }
  });

  it("are refused where they are cut, hold no model, or none of its files", async () => {
    const zip = zipOf(filesOf(4));
    expect(await refused(zip.subarray(0, zip.length - 30))).toMatch(/not a zip/);
    expect(await refused(zip.subarray(100))).toMatch(/damaged/);
    expect(await refused(new Uint8Array(10))).toMatch(/not a zip/);
    expect(await refused(zipOf([["readme.txt", new Uint8Array(3)]]))).toMatch(
      /holds no model.json/,
    );
    const document = filesOf(4).filter(([path]) => path === "model.json");
    expect(await refused(zipOf(document))).toMatch(/has no \S+\.dsm/);
  });

  it("inflate to no more than they say", async () => {
    const bomb = filesOf(4).map(([path, bytes]): [string, Uint8Array] =>
      path === "model.json" ? [path, bytes] : [path, new Uint8Array(50_000_000)],
    );
    expect(await refused(zipOf(bomb, { deflated: true }))).toMatch(/50000000 bytes of it/);
    const sizes = new Map(filesOf(4).map(([path, bytes]) => [path, bytes.length]));
    const sizeOf = (path: string): number => sizes.get(path) ?? 0;
    expect(await refused(zipOf(bomb, { deflated: true, sizeOf }))).toMatch(/inflates to more/);
  });

  it("take no memory for what they only claim", async () => {
    const CLAIMED = 4_000_000_000;
    const [lying] = filesOf(4).flatMap(([path]) => (path === "model.json" ? [] : [path]));
    const files = filesOf(4).map(([path, bytes]): [string, Uint8Array] => {
      if (path !== "model.json") return [path, bytes];
      const document = JSON.parse(Buffer.from(bytes).toString());
      for (const file of document.files) if (file.path === lying) file.bytes = CLAIMED;
      return [path, Buffer.from(JSON.stringify(document))];
    });
    const sizeOf = (path: string, bytes: number): number => (path === lying ? CLAIMED : bytes);
    expect(await refused(zipOf(files, { deflated: true, sizeOf }))).toMatch(
      /cannot inflate to the 4000000000/,
    );
  });
});

describe("the packed predictor elsewhere", () => {
  it.each([
    ["nodenext", "nodenext"],
    ["bundler", "esnext"],
  ])(
    "is typed for strict programs that resolve by %s, without the DOM and Node",
    (resolution, module) => {
      writeFileSync(
        join(folder, "typed.ts"),
        `import { loadModel, ModelFormatError, type Model, RowsError } from "@distillery/predict";
       export async function first(bytes: Uint8Array): Promise<number | string | undefined> {
         const model: Model = await loadModel(bytes);
         const { predictions } = model.predict([{ area: 1 }], { coverage: 0.8 });
         const [one] = predictions;
         // @ts-expect-error: it takes no text
         await loadModel("model.zip");
         if (one === undefined) return undefined;
         return "label" in one ? one.label : one.value;
       }
       export const isTold = (e: unknown) => e instanceof RowsError ? e.detail[0]?.loc : e instanceof ModelFormatError;`,
      );
      const options = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        target: "es2023",
        lib: ["es2023"],
        types: [],
        module,
        moduleResolution: resolution,
      };
      const project = join(folder, `tsconfig.${resolution}.json`);
      writeFileSync(project, JSON.stringify({ compilerOptions: options, include: ["typed.ts"] }));
      const tsc = join(root, "node_modules/.bin/tsc");
      const { stdout } = spawnSync(tsc, ["-p", project], { cwd: folder, encoding: "utf8" });
      expect(stdout).toBe("");
    },
  );

  it("weighs under 160 kB gzipped with its kernels, needs no package, and has its licences", () => {
    const files = ["index.js", "predictor.js"].map((name) => readFileSync(join(installed, name)));
    const bytes = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
    for (const file of files) expect(file.toString()).not.toMatch(/from"node:|import\("node:/);
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(readdirSync(installed)).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
    const notices = readFileSync(join(installed, "THIRD_PARTY_LICENSES"), "utf8");
    for (const name of ["zod", "@noble/hashes"]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d`, "m"));
    }
  });

  it("says of an error that nobody caught where it is from, in few words", () => {
    const program = `
      import { readFileSync } from "node:fs";
      import { loadModel } from "@distillery/predict";
      const model = await loadModel(readFileSync(${JSON.stringify(cases[0]!.archive)}));
      model.predict([{ nothing: {} }]);
    `;
    writeFileSync(join(folder, "uncaught.js"), program);
    for (const options of [[], ["--enable-source-maps"]]) {
      const { status, stderr } = spawnSync(process.execPath, [...options, "uncaught.js"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(status).toBe(1);
      expect(stderr).toContain("[RowsError]");
      expect(stderr.length).toBeLessThan(4_000);
      if (options.length > 0) expect(stderr).toMatch(/^.*src\/rows\.ts:\d+\n.*throw new RowsError/);
    }
  });

  const browser = findBrowser();
  /** Answers every case; posts what is other than it should be, and what the page's policy refused. */
  const program = (library: string): string => `
    import { loadModel } from ${JSON.stringify(library)};
    const refused = [];
    addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective));
    async function run() {
      const cases = await (await fetch("/cases.json")).json();
      const wrong = [];
      let answers = 0;
      for (const { archive, questions } of cases) {
        const model = await loadModel(new URL("/" + archive, location.href));
        for (const { operation, rows, answer } of questions) {
          answers++;
          const own = JSON.stringify(model[operation](rows));
          if (own !== answer) wrong.push([archive, operation, own, answer]);
        }
      }
      return { answers, wrong: wrong.slice(0, 2), refused, isolated: globalThis.crossOriginIsolated };
    }
    const result = await run().catch((error) => String(error.stack));
    await fetch("/result", { method: "POST", body: JSON.stringify(result) });`;

  async function answersOf(page: string): Promise<void> {
    if (browser === null) throw new Error("There is no browser.");
    const all = cases.reduce((sum, { questions }) => sum + questions.length, 0);
    expect(JSON.parse(await resultOfPage(browser, folder, page))).toEqual({
      answers: all,
      wrong: [],
      refused: [],
      isolated: false,
    });
  }

  function pageOf(name: string, script: string): string {
    writeFileSync(join(folder, `${name}.html`), `<script type="module" src="/${script}"></script>`);
    return `${name}.html`;
  }

  // `.ci/run` sees to it that there is one.
  describe.skipIf(browser === null)("in Chromium, for which there is a browser here", () => {
    it("answers the same by a plain script of a page that is not isolated", async () => {
      const script = "plain.js";
      writeFileSync(join(folder, script), program("/node_modules/@distillery/predict/index.js"));
      await answersOf(pageOf("plain", script));
    });

    it.runIf(IS_LONG)("answers the same in a worker, bundled by esbuild", async () => {
      writeFileSync(join(folder, "entry.js"), program("@distillery/predict"));
      await esbuild({
        absWorkingDir: folder,
        entryPoints: ["entry.js"],
        outfile: join(folder, "esbuild.js"),
        bundle: true,
        platform: "browser",
        format: "esm",
      });
      writeFileSync(
        join(folder, "start-worker.js"),
        'new Worker("/esbuild.js", { type: "module" });',
      );
      await answersOf(pageOf("worker", "start-worker.js"));
    });

    it.runIf(IS_LONG)("answers the same bundled by Vite", async () => {
      writeFileSync(join(folder, "entry.js"), program("@distillery/predict"));
      writeFileSync(
        join(folder, "vite.html"),
        '<!doctype html><script type="module" src="/entry.js"></script>',
      );
      await viteBuild({
        root: folder,
        configFile: false,
        logLevel: "silent",
        publicDir: false,
        build: {
          outDir: "vite",
          assetsDir: "vite-assets",
          target: "es2022",
          rolldownOptions: { input: join(folder, "vite.html") },
        },
      });
      execFileSync("cp", ["-r", join(folder, "vite/vite-assets"), folder]);
      await answersOf("vite/vite.html");
    });
  });
});
