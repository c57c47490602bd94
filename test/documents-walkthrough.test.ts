/**
 * From a pile of receipts to a model, over HTTP: upload, a schema for a use case, rows with what is
 * known beside them, a dataset, a run, and a prediction explained in the words of the questions.
 */

import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { SharedServer } from "./support/shared-server.ts";

const FOLDER = new URL("../fixtures/receipts/", import.meta.url);
/** Of all receipts. */
const TAKEN = 36;
/** Those that are studied and learned from; the others come later, as new ones. */
const LEARNED = 30;

interface Key {
  readonly document: string;
  readonly company: string;
  readonly date: string;
  readonly total: string;
  readonly expense: string;
}
interface Question {
  readonly id: string;
  readonly question: string;
  readonly rationale: string;
  readonly unit: string;
  readonly enum: readonly string[];
}
interface Schema {
  readonly skill: string;
  readonly use_case: string;
  readonly questions: readonly Question[];
  readonly metadata: Readonly<Record<string, unknown>>;
}
interface Answer {
  readonly value: string | number | boolean | null;
  readonly confidence: number | null;
  readonly page: number | null;
  readonly span: { readonly text: string; readonly start: number; readonly end: number } | null;
}
interface Row {
  readonly document_id: string;
  readonly name: string;
  readonly answers: Readonly<Record<string, Answer>>;
}
interface Result<Value> {
  readonly status: string;
  readonly result?: Value;
  readonly error_message?: string;
}

let server: SharedServer;
let keys: readonly Key[];
/** The uploaded documents' ids, by file name. */
const ids = new Map<string, string>();

beforeAll(async () => {
  server = await SharedServer.join();
  const all: Key[] = JSON.parse(await readFile(new URL("keys.json", FOLDER), "utf8"));
  keys = all.slice(0, TAKEN);
});

async function resultOf<Value>(jobId: string): Promise<Value> {
  for (;;) {
    const { status, result, error_message } = await server.get<Result<Value>>(
      `/v1/results/${jobId}`,
    );
    if (status === "failed") throw new Error(`job ${jobId} failed: ${error_message}`);
    if (status === "completed" && result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Two receipts that have their numbers. */
const TWO_IN_ONE = ["receipt_035.txt", "receipt_050.txt"] as const;
const isFirst = ({ document }: Key): boolean => document === TWO_IN_ONE[0];
const idOf = ({ document }: Key): string => ids.get(document) ?? "";
const plain = (text: unknown): string =>
  String(text)
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toUpperCase();
const shareOf = (rows: readonly Row[], isRight: (row: Row, key: Key) => boolean): number =>
  rows.filter((row, index) => isRight(row, keys[index]!)).length / rows.length;

describe("from receipts to a model", () => {
  const useCase = "file a receipt under its kind of expense, by the shop and what is on it";
  let schema: Schema;
  let learned: readonly Row[];
  let datasetId = "";
  let modelId = "";

  it("takes the pile in one request, and once more without keeping it twice", async () => {
    const form = new FormData();
    for (const { document: name } of keys) {
      const bytes = await readFile(new URL(`docs/${name}`, FOLDER));
      form.append("files", new Blob([new Uint8Array(bytes)], { type: "text/plain" }), name);
    }
    const upload = async (): Promise<readonly { document_id: string; name: string }[]> => {
      const response = await server.request("POST", "/v1/documents", { body: form });
      expect(response.status).toBe(200);
      return (await response.json()).documents;
    };
    const documents = await upload();
    for (const { document_id, name } of documents) ids.set(name, document_id);
    expect([...ids.keys()].sort()).toEqual(keys.map(({ document }) => document).sort());
    expect((await upload()).map(({ document_id }) => document_id)).toEqual([...ids.values()]);
  });

  it("freezes the questions for the use case", async () => {
    const { skills } = await server.get<{ skills: { slug: string }[] }>(
      "/v1/agentic/documents/skills",
    );
    expect(skills.map(({ slug }) => slug)).toContain("invoice");
    const { job_id, schema_id } = await server.post<{ job_id: string; schema_id: string }>(
      "/v1/agentic/documents/induce_schema",
      {
        documents: keys.slice(0, LEARNED).map(idOf),
        use_case: useCase,
        skill: "invoice",
        model_id: "receipts",
      },
    );
    expect(schema_id).toBe("receipts");
    await resultOf(job_id);
    const { status } = await server.get<{ status: string }>("/v1/models/receipts/status");
    expect(status).toBe("completed");
    ({ schema } = await server.get<{ schema: Schema }>("/v1/agentic/documents/schemas/receipts"));
    expect(schema).toMatchObject({ skill: "invoice", use_case: useCase });
    expect(schema.metadata).toMatchObject({
      documents: LEARNED,
      held_back: 9,
      inducer: "embedded",
    });
    expect(schema.questions.length).toBeLessThanOrEqual(25);
    expect(schema.questions.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["company", "date", "total", "address"]),
    );
    for (const { question, rationale } of schema.questions) {
      expect(question).toMatch(/^[A-Z].*\?$/);
      expect(rationale).toMatch(/\d+ of 30 documents/);
    }
  });

  it("answers them with evidence, and registers the rows with their labels", async () => {
    const { job_id, dataset_id } = await server.post<{ job_id: string; dataset_id: string }>(
      "/v1/agentic/documents/extract",
      {
        model_id: "receipts",
        documents: keys.slice(0, LEARNED).map((key) => ({
          document_id: idOf(key),
          columns: { expense: key.expense },
        })),
        register_dataset: { name: "receipts" },
      },
    );
    ({ rows: learned } = await resultOf<{ rows: readonly Row[] }>(job_id));
    datasetId = dataset_id;
    expect(learned.map(({ name }) => name)).toEqual(
      keys.slice(0, LEARNED).map(({ document }) => document),
    );
    for (const { name, answers } of learned) {
      const text = await readFile(new URL(`docs/${name}`, FOLDER), "utf8");
      for (const { value, span, page } of Object.values(answers)) {
        if (value === null || span === null) continue;
        // Verbatim, but for the spaces between lines and columns.
        expect(text.replace(/\s+/g, " ")).toContain(span.text.replace(/\s+/g, " "));
        expect(page).toBe(1);
      }
    }
    const total = shareOf(
      learned,
      ({ answers }, key) => answers["total"]?.value === Number(key.total.replace(/[^\d.]/g, "")),
    );
    const company = shareOf(
      learned,
      ({ answers }, key) => plain(answers["company"]?.value) === plain(key.company),
    );
    const date = shareOf(
      learned,
      ({ answers }, key) => plain(answers["date"]?.span?.text) === plain(key.date),
    );
    expect(total).toBeGreaterThanOrEqual(0.75);
    expect(company).toBeGreaterThanOrEqual(0.6);
    expect(date).toBeGreaterThanOrEqual(0.85);

    const { columns } = await server.get<{ columns: { name: string; datatype: unknown }[] }>(
      `/v1/datasets/${datasetId}`,
    );
    expect(columns.map(({ name }) => name)).toEqual([
      "document_id",
      "document_name",
      "expense",
      ...schema.questions.map(({ id }) => id),
    ]);
    const kindOf = new Map(columns.map(({ name, datatype }) => [name, datatype]));
    expect(kindOf.get("total")).toEqual({ kind: "numeric" });
    expect(kindOf.get("date")).toEqual({ kind: "timestamp" });
  });

  it("answers as people say once they have said so", async () => {
    const [first] = keys;
    const documentId = idOf(first!);
    const labels = "/v1/agentic/documents/schemas/receipts/labels";
    const set = (question: string, value: unknown, unit?: string) =>
      server.request("PUT", `${labels}/${documentId}/${question}`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ value, unit }),
      });
    const extracted = async (more: object = {}) => {
      const { job_id } = await server.post<{ job_id: string }>("/v1/agentic/documents/extract", {
        model_id: "receipts",
        documents: [documentId],
        ...more,
      });
      return await resultOf<{ rows: readonly Row[]; warnings: readonly string[] }>(job_id);
    };
    const again = async (): Promise<Row> => (await extracted()).rows[0]!;
    // As it is written on receipts; and what stands on none of them.
    expect(await (await set("date", "25/12/2031")).json()).toMatchObject({
      question_id: "date",
      value: "2031-12-25",
      document_name: first?.document,
    });
    expect((await set("total", 1234.5)).status).toBe(200);
    expect(await (await set("total", "RM 7.80")).json()).toMatchObject({ value: 7.8 });
    expect((await set("company", null)).status).toBe(200);
    const list = await server.get<{ labels: { question_id: string }[] }>(
      `${labels}?document_id=${documentId}`,
    );
    expect(list.labels.map(({ question_id }) => question_id).sort()).toEqual([
      "company",
      "date",
      "total",
    ]);
    const { answers } = await again();
    const said = { confidence: 1, page: null, span: null, is_label: true };
    expect(answers["date"]).toMatchObject({ ...said, value: "2031-12-25" });
    expect(answers["total"]).toMatchObject({ ...said, value: 7.8, unit: "MYR" });
    expect(answers["company"]).toMatchObject({ ...said, value: null });
    expect(answers["address"]).toEqual(learned[0]?.answers["address"]);

    // In another currency than was read, which the values of a dataset do not show.
    expect(await (await set("total", "EUR 120.00")).json()).toMatchObject({
      value: 120,
      unit: "EUR",
    });
    const both = await extracted({
      documents: [documentId, idOf(keys[1]!)],
      register_dataset: { name: "in two currencies" },
    });
    expect(both.rows[0]?.answers["total"]).toMatchObject({ ...said, value: 120, unit: "EUR" });
    expect(both.warnings).toEqual([
      expect.stringContaining("total are in EUR (1 row), MYR (1 row)"),
    ]);
    const contradicted = await set("total", "EUR 120.00", "USD");
    expect(contradicted.status).toBe(422);
    expect((await contradicted.json()).detail[0].loc).toEqual(["body", "unit"]);

    for (const [question, value] of [
      ["date", "soon"],
      ["total", "a lot"],
      ["total", "XAF 120.00"],
      ["total", true],
    ] as const) {
      const refused = await set(question, value);
      expect([question, refused.status]).toEqual([question, 422]);
      expect((await refused.json()).detail[0].loc).toEqual(["body", "value"]);
    }
    expect((await set("no_such_question", 1)).status).toBe(404);
    const remove = (question: string) =>
      server.request("DELETE", `${labels}/${documentId}/${question}`);
    for (const question of ["date", "total", "company"]) {
      expect((await remove(question)).status).toBe(200);
    }
    expect((await remove("date")).status).toBe(404);
    expect((await again()).answers).toEqual(learned[0]?.answers);
  });

  it("answers the first of several documents of one file, and says so", async () => {
    const [first, second] = await Promise.all(
      TWO_IN_ONE.map((name) => readFile(new URL(`docs/${name}`, FOLDER), "utf8")),
    );
    const text = `${first}\f${second}`;
    const { job_id } = await server.post<{ job_id: string }>("/v1/agentic/documents/extract", {
      model_id: "receipts",
      documents: [{ name: "two.txt", text }, idOf(keys.find(isFirst)!)],
    });
    const { rows, warnings } = await resultOf<{
      rows: readonly (Row & { warnings?: readonly string[] })[];
      warnings: readonly string[];
    }>(job_id);
    const [both, alone] = rows;
    expect(both?.answers).toEqual(alone?.answers);
    expect(both?.warnings).toEqual([
      expect.stringMatching(/on page 1, and .* on page 2\. The answers/),
    ]);
    expect(warnings).toEqual([`'two.txt' (${both?.document_id}): ${both?.warnings?.[0]}`]);
    expect(alone).not.toHaveProperty("warnings");
  });

  it("trains on them", async () => {
    expect(schema.questions.map(({ unit }) => typeof unit)).toEqual(
      schema.questions.map(() => "string"),
    );
    const amounts = schema.questions.filter(({ unit }) => unit === "MYR").map(({ id }) => id);
    expect(amounts).toContain("total");
    const { job_id } = await server.post<{ job_id: string }>("/v1/trainer/run", {
      dataset_id: datasetId,
      n_trials: 1,
      n_cv_splits: 2,
      model_families: ["random_forest"],
      task: {
        task_kind: "multiclass",
        label_column: "expense",
        ignore_columns: ["document_id", "document_name"],
      },
    });
    ({ model_id: modelId } = await resultOf<{ model_id: string }>(job_id));
  });

  it("predicts a receipt that it has not seen, and explains it in the questions' words", async () => {
    const [unseen] = keys.slice(LEARNED);
    const { job_id } = await server.post<{ job_id: string }>("/v1/agentic/documents/extract", {
      model_id: "receipts",
      documents: [idOf(unseen!)],
    });
    const { rows } = await resultOf<{ rows: readonly Row[] }>(job_id);
    const instance = Object.fromEntries(
      Object.entries(rows[0]?.answers ?? {}).map(([id, { value }]) => [id, value]),
    );
    const { predictions } = await server.post<{
      predictions: { label: string; probabilities: Record<string, number> }[];
    }>(`/v1/models/${modelId}/predict`, { instances: [instance] });
    expect(["meals", "groceries", "supplies"]).toContain(predictions[0]?.label);

    const { explanations } = await server.post<{
      explanations: {
        classes: Record<
          string,
          { base_value: number; prediction: number; contributions: Record<string, number> }
        >;
      }[];
    }>(`/v1/models/${modelId}/explain`, { instances: [instance] });
    const questions = new Map(schema.questions.map(({ id, question }) => [id, question]));
    for (const { base_value, prediction, contributions } of Object.values(
      explanations[0]?.classes ?? {},
    )) {
      const said = Object.entries(contributions).map(([id, value]) => ({
        question: questions.get(id),
        value,
      }));
      expect(said.length).toBeGreaterThan(3);
      expect(said.every(({ question }) => question?.endsWith("?"))).toBe(true);
      const sum = said.reduce((sum, { value }) => sum + value, base_value);
      expect(sum).toBeCloseTo(prediction, 6);
    }
  });

  it("predicts documents in one call: stored ones, texts and files, by a model and by an endpoint", async () => {
    const [unseen, another] = keys.slice(LEARNED);
    interface Answer {
      readonly model_id: string;
      readonly schema_id: string;
      readonly predictions: { readonly label: string }[];
      readonly documents: { document_id: string | null; name: string; answers: Row["answers"] }[];
      readonly warnings: readonly string[];
    }
    const ask = `/v1/models/${modelId}/predict_documents`;
    const stored = await server.post<Answer>(ask, {
      documents: [idOf(unseen!), { document_id: idOf(another!) }],
    });
    expect(stored).toMatchObject({ model_id: modelId, schema_id: "receipts" });
    expect(stored.documents.map(({ document_id }) => document_id)).toEqual([
      idOf(unseen!),
      idOf(another!),
    ]);
    // As extracted and predicted one after the other.
    const instances = stored.documents.map(({ answers }) =>
      Object.fromEntries(Object.entries(answers).map(([id, { value }]) => [id, value])),
    );
    const apart = await server.post<Answer>(`/v1/models/${modelId}/predict`, { instances });
    expect(stored.predictions).toEqual(apart.predictions);

    const { text } = await server.get<{ text: string }>(`/v1/documents/${idOf(unseen!)}/text`);
    const before = await server.get<{ documents: unknown[] }>("/v1/documents?limit=500");
    const written = await server.post<Answer>(ask, {
      documents: [{ name: "new.txt", text: `${text}\n` }, idOf(another!)],
    });
    expect(written.documents[0]).toMatchObject({ document_id: null, name: "new.txt" });
    expect(written.predictions[1]).toEqual(stored.predictions[1]);
    // What somebody said of a stored one is its answer here as well.
    const label = `/v1/agentic/documents/schemas/receipts/labels/${idOf(unseen!)}/total`;
    const headers = { "content-type": "application/json" };
    const said = JSON.stringify({ value: "EUR 7.80" });
    expect((await server.request("PUT", label, { headers, body: said })).status).toBe(200);
    const corrected = await server.post<Answer>(ask, { documents: [idOf(unseen!)] });
    expect(corrected.documents[0]?.answers["total"]).toMatchObject({
      ...{ value: 7.8, unit: "EUR", is_label: true },
    });
    expect((await server.request("DELETE", label)).status).toBe(200);
    const form = new FormData();
    form.append("files", new Blob([`${text}\n`]), "new.txt");
    const sent = await server.request("POST", ask, { body: form });
    expect(((await sent.json()) as Answer).predictions[0]).toEqual(written.predictions[0]);
    // What is sent is not stored.
    expect(await server.get("/v1/documents?limit=500")).toEqual(before);

    await server.post("/v1/serving/endpoints", {
      name: "receipts-live",
      models: [{ model_id: modelId, traffic: 100 }],
    });
    const served = await server.post<Answer>(
      "/v1/serving/endpoints/receipts-live/predict_documents?key=a",
      { documents: [idOf(unseen!)] },
    );
    expect(served.predictions).toEqual(stored.predictions.slice(0, 1));
  });

  it("says what is wrong with documents that are to be predicted", async () => {
    const ask = (body: object, query = "") =>
      server.postRaw(`/v1/models/${modelId}/predict_documents${query}`, body);
    const absent = "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60";
    const known = idOf(keys[0]!);
    for (const [body, query, status, words] of [
      [{ documents: [] }, "", 422, "documents"],
      [{ documents: [known, "x"] }, "", 422, "documents"],
      [{ documents: [absent] }, "", 404, absent],
      [{ documents: [known] }, "?schema_id=nobody", 404, "document schema"],
      [
        { documents: [known, { document_id: known, columns: { date: "someday" } }] },
        "",
        422,
        '"loc":["body","documents",1,"columns","date"]',
      ],
    ] as const) {
      const answer = await ask(body, query);
      expect([answer.status, await answer.text()]).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    }
    const form = new FormData();
    form.append("files", new Blob(["%PDF-1.4\nbroken"]), "a.pdf");
    const path = `/v1/models/${modelId}/predict_documents`;
    const broken = await server.request("POST", path, { body: form });
    expect([broken.status, await broken.text()]).toEqual([422, expect.stringContaining("a.pdf")]);
    const csv = Array.from({ length: 60 }, (_, i) => `${i},${i % 2}`).join("\n");
    const dataset_id = await server.uploadCsv("numbers", `x,y\n${csv}`);
    const { job_id } = await server.post<{ job_id: string }>("/v1/trainer/run", {
      dataset_id,
      n_trials: 1,
      model_families: ["linear"],
      task: { task_kind: "regression", label_column: "y" },
    });
    const { model_id } = await resultOf<{ model_id: string }>(job_id);
    const answer = await server.postRaw(`/v1/models/${model_id}/predict_documents`, {
      documents: [known],
    });
    expect([answer.status, await answer.text()]).toEqual([
      409,
      expect.stringContaining("schema_id"),
    ]);
  });
});
