/** Models taken elsewhere over HTTP: ONNX, LightGBM's text, cards and archives, and whose they are. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import { fromBuffer } from "yauzl";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const ABSENT = "00000000-0000-4000-8000-000000000000";
const FORMS = ["onnx", "lightgbm", "card", "archive"] as const;

let server: SharedServer;
let blend: string;
let single: string;

function customers(): string {
  const lines = Array.from({ length: 120 }, (_, row) => {
    const age = 18 + ((row * 37) % 60);
    const plan = row % 3 === 0 ? "basic" : "plus <b>";
    const day = `2024-0${1 + (row % 9)}-1${row % 10}`;
    return `${age},${plan},${(row * 7) % 50},${day},${age + (row % 3) * 9 < 50 ? "yes" : "no"}`;
  });
  return ["age,plan,tenure,joined,churned", ...lines].join("\n");
}

async function train(dataset: string, request: object): Promise<string> {
  const id = await startRun(server, {
    dataset_id: dataset,
    task: { task_kind: "binclass", label_column: "churned", ignore_columns: ["joined"] },
    n_trials: 2,
    n_cv_splits: 2,
    ...request,
  });
  const job = await awaitJob(server, id);
  expect(job.error_message).toBe("");
  return job.model_id;
}

beforeAll(async () => {
  server = await SharedServer.join();
  const dataset = await server.uploadCsv("customers", customers());
  [blend, single] = await Promise.all([
    train(dataset, { model_families: ["gbdt", "linear"], ensemble: true }),
    train(dataset, { model_families: ["gbdt"], n_trials: 1, ensemble: false, n_cv_splits: null }),
  ]);
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  server.request("GET", path, { headers });

/** The files of a zip, in their order. */
function unzipped(bytes: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (fault, zip) => {
      if (fault) return reject(fault);
      const files = new Map<string, Buffer>();
      zip.on("end", () => resolve(files));
      zip.on("error", reject);
      zip.on("entry", (entry) => {
        zip.openReadStream(entry, async (unread, stream) => {
          if (unread) return reject(unread);
          files.set(entry.fileName, Buffer.concat(await stream.toArray()));
          zip.readEntry();
        });
      });
      zip.readEntry();
    });
  });
}

describe("forms of other programs", () => {
  it("gives a blend as ONNX, and says why LightGBM has no form of it", async () => {
    const onnx = await get(`/v1/models/${blend}/onnx`);
    expect(onnx.status).toBe(200);
    expect(onnx.headers.get("content-disposition")).toContain(`${blend}.onnx`);
    const bytes = Buffer.from(await onnx.arrayBuffer());
    // Names of operators and columns stand in the file as they are.
    for (const name of ["LabelEncoder", "TreeEnsembleRegressor", "tenure", "plus <b>"]) {
      expect(bytes.includes(name)).toBe(true);
    }
    const refused = await get(`/v1/models/${blend}/lightgbm`);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      detail: expect.stringMatching(/blends .* members .*ensemble: false/),
    });
  });

  it("gives a single boosted model as LightGBM's text", async () => {
    const response = await get(`/v1/models/${single}/lightgbm`);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    expect(text).toMatch(/^tree\nversion=v4\nnum_class=1\n/);
    expect(text).toContain("feature_names=age plan tenure");
    expect(text).toContain('pandas_categorical:[["plus <b>","basic"]]');
  });
});

describe("the card", () => {
  it("is a page that asks for nothing, with every name escaped", async () => {
    const response = await get(`/v1/models/${blend}/card`, { accept: "text/html" });
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain("plus &lt;b&gt;");
    expect(page).not.toContain("plus <b>");
    expect(page).not.toMatch(/(src|href)="(?!#)/);
    for (const title of ["How good it is", "What it reads", "How to call it", "Its limits"]) {
      expect(page).toContain(title);
    }
  });

  it("is JSON with the same facts, and an example that the model takes", async () => {
    const card = await server.get<{
      readonly id: string;
      readonly example: object;
      readonly inputs: readonly object[];
      readonly dataset: object;
      readonly scores: readonly { readonly metric: string; readonly score: number }[];
      readonly calls: readonly { readonly code: string }[];
    }>(`/v1/models/${blend}/card?format=json`);
    expect(card).toMatchObject({ id: blend, dataset: { name: "customers", rows: 120 } });
    expect(card.inputs).toMatchObject([
      { column: "age", kind: "numeric", nullable: false },
      { column: "plan", kind: "categorical", category_count: 2 },
      { column: "tenure", kind: "numeric" },
    ]);
    expect(card.scores[0].score).toBeTypeOf("number");
    expect(card.calls[0].code).toContain(`/v1/models/${blend}/predict`);
    const answer = await server.post<{ readonly warnings: readonly string[] }>(
      `/v1/models/${blend}/predict`,
      { instances: [card.example] },
    );
    expect(answer.warnings).toEqual([]);
  });
});

describe("the archive", () => {
  it("holds the model, its card, its graph and how to call it, in the same bytes each time", async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(async () => {
        const response = await get(`/v1/models/${blend}/archive`);
        expect(response.headers.get("content-type")).toBe("application/zip");
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    expect(first.equals(second)).toBe(true);
    const files = await unzipped(first);
    const { files: listed } = await server.get<{
      readonly files: readonly { readonly path: string }[];
    }>(`/v1/models/${blend}`);
    const own = ["model.json", ...listed.map(({ path }) => path).filter((p) => p !== "model.json")];
    expect([...files.keys()].sort()).toEqual(
      [
        "README.md",
        "card.html",
        "card.json",
        "model.onnx",
        "predict.html",
        "predict.mjs",
        "predict/LICENSES",
        "predict/index.js",
        "predict/package.json",
        ...own.map((path) => `model/${path}`),
      ].sort(),
    );
    const onnx = await get(`/v1/models/${blend}/onnx`);
    expect(files.get("model.onnx")?.equals(Buffer.from(await onnx.arrayBuffer()))).toBe(true);
    const readme = String(files.get("README.md"));
    expect(readme).toContain("## curl");
    expect(readme).toContain("import onnxruntime");
    expect(readme).toContain('"tenure": np.array([[');
    expect(String(files.get("predict.html"))).toContain("plus &lt;b&gt;");
  });

  it("answers rows by itself, exactly as the service does", async () => {
    const response = await get(`/v1/models/${blend}/archive`);
    const files = await unzipped(Buffer.from(await response.arrayBuffer()));
    const folder = mkdtempSync(join(tmpdir(), "distillery-archive-"));
    try {
      for (const [path, bytes] of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), bytes);
      }
      // From elsewhere, so that nothing of this repository can be found.
      const call = (given: readonly string[], input: string) => {
        const program = [join(folder, "predict.mjs"), ...given];
        return spawnSync(process.execPath, program, { input, cwd: tmpdir(), encoding: "utf8" });
      };
      const run = (rows: object | null) =>
        rows === null ? call([], "") : call(["-"], JSON.stringify(rows));
      const asked = (instances: readonly object[]) =>
        server.post<{ readonly predictions: object[]; readonly warnings: string[] }>(
          `/v1/models/${blend}/predict`,
          { instances },
        );
      const { example } = JSON.parse(String(files.get("card.json")));
      const shown = run(null);
      expect(shown.stderr).toMatch(/^The example's answer; .*\nnode predict\.mjs - < rows\.json/s);
      expect(call(["--help"], "").stdout).toContain("node predict.mjs - < rows.json");
      const noJson = call(["-"], "age,plan\n31,basic\n");
      expect(noJson).toMatchObject({ status: 1, stdout: "" });
      expect(noJson.stderr).toMatch(/^The rows are no JSON: .*"age,plan.*\nnode predict\.mjs/s);
      expect(JSON.parse(shown.stdout)).toEqual((await asked([example])).predictions);

      const [header, ...lines] = customers().split("\n");
      const names = header.split(",").slice(0, 3);
      const instances: object[] = lines.map((line) => {
        const [age, plan, tenure] = line.split(",");
        return Object.fromEntries([age, plan, tenure].map((cell, i) => [names[i], cell]));
      });
      instances.push({ age: null, plan: "unheard of", tenure: 1e9 });
      const many = run(instances);
      const { predictions, warnings } = await asked(instances);
      expect(JSON.parse(many.stdout)).toEqual(predictions);
      expect(warnings.length).toBeGreaterThan(0);
      expect(many.stderr.trim().split("\n")).toEqual(warnings);

      const refused = run([{ age: "old", plan: "basic", tenure: 1 }]);
      expect(refused.status).toBe(1);
      expect(refused.stderr).toMatch(/^instances\.0\.age: /);
      expect(refused.stdout).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("what is refused", () => {
  it("is a model that is missing, another organization's, or asked for without the scope", async () => {
    const rival = { authorization: `Bearer ${server.token("rival")}` };
    for (const form of FORMS) {
      const absent = await get(`/v1/models/${ABSENT}/${form}`);
      const foreign = await fetch(`${server.baseUrl}/v1/models/${blend}/${form}`, {
        headers: rival,
      });
      expect([absent.status, foreign.status]).toEqual([404, 404]);
      expect(await foreign.text()).toBe(await absent.text());
      const unsigned = await fetch(`${server.baseUrl}/v1/models/${blend}/${form}`);
      expect(unsigned.status).toBe(401);
      const malformed = await get(`/v1/models/a%20b/${form}`);
      expect(malformed.status).toBe(422);
    }
    const { key } = await server.post<{ readonly key: string }>("/v1/api_keys", {
      name: "no models",
      scopes: ["datasets:read"],
    });
    for (const form of FORMS) {
      const response = await fetch(`${server.baseUrl}/v1/models/${blend}/${form}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(response.status).toBe(403);
    }
    const other = await get(`/v1/models/${blend}/card?format=pdf`);
    expect(other.status).toBe(422);
    const unacceptable = await get(`/v1/models/${blend}/card`, { accept: "image/png" });
    expect(unacceptable.status).toBe(406);
  });
});
