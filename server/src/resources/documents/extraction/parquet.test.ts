/** Rows as Parquet: what is read back is what was extracted, in columns of its kind. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linkOrCopy } from "../../../platform/files/link-or-copy.ts";
import { lazySqlEngine } from "../../../query/sql/lazy-engine.ts";
import type { SqlEngine } from "../../../query/sql/query.ts";
import type { ExtractionPlan } from "../../../reading/induction/schema.ts";
import type { ValueKind } from "../../../reading/induction/values/value.ts";
import { readParquet } from "../../../testing/parquet-of.ts";
import { columnKindOf, columnNamesOf } from "./columns.ts";
import { exportRows, RowTable } from "./parquet.ts";
import { type DocumentAnswer, type ExtractedRow, rowOf, rowsJson } from "./rows.ts";

const ID = "00000000-0000-4000-8000-000000000001";

let folder: string;
let sql: SqlEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-rows-"));
  sql = lazySqlEngine(join(folder, "sql"));
});
afterAll(async () => {
  await sql.close();
  await rm(folder, { recursive: true, force: true });
});

const answerer = (id: string, kind: ValueKind, more: object = {}) => ({
  id,
  target: { kind, multiple: false, enum: [], ...more },
  locators: [],
});

const plan: ExtractionPlan = {
  version: 1,
  conventions: { dayFirst: true, decimalComma: false, currency: null, languages: ["en"] },
  answerers: [
    answerer("total", "money"),
    answerer("date", "date"),
    answerer("paid", "boolean"),
    answerer("buyer", "person", { multiple: true }),
    answerer("document_id", "identifier"),
    answerer("method", "text", { enum: ["cash", "card"] }),
  ],
};

const said = (value: DocumentAnswer["value"]): DocumentAnswer => ({
  value,
  unit: "EUR",
  confidence: 0.5,
  page: 1,
  span: { text: `"${value}"\n`, start: 3, end: 9, box: null },
});

const row = (
  answers: Readonly<Record<string, DocumentAnswer["value"]>>,
  columns?: ExtractedRow["columns"],
): ExtractedRow => ({
  document_id: ID,
  name: "a 'file'",
  ...(columns && { columns }),
  answers: Object.fromEntries(Object.entries(answers).map(([id, value]) => [id, said(value)])),
});

async function roundTrip(rows: readonly ExtractedRow[]) {
  const table = new RowTable(plan, rows);
  const path = join(folder, "rows.ndjson");
  await table.write(path);
  const all = [...table.values, ...table.evidence];
  const signal = AbortSignal.timeout(120_000);
  const options = { organizationId: ID, path, all, wanted: all, signal };
  return exportRows({ sql }, options, async (exported) => {
    const file = join(folder, "rows.parquet");
    await rm(file, { force: true });
    await linkOrCopy(exported.path, file);
    return readParquet(file);
  });
}

describe("rows as Parquet", () => {
  it("have a column of its type for each question, and one for its evidence", async () => {
    const { columns, rows } = await roundTrip([
      row(
        { total: 12.5, date: "2018-03-04", paid: false, buyer: "A; B", document_id: "X1" },
        { label: "yes", amount: 3, mixed: 1, constructor: null },
      ),
      row({ date: "2018-03" }, { label: null, mixed: "one" }),
      row({ date: "2018-02-30", total: "many", paid: "no", method: "cash" }),
    ]);
    expect(columns).toEqual([
      ["document_id_", "VARCHAR"],
      ["document_name", "VARCHAR"],
      ["label", "VARCHAR"],
      ["amount", "DOUBLE"],
      ["mixed", "VARCHAR"],
      ["constructor", "VARCHAR"],
      ["total", "DOUBLE"],
      ["date", "DATE"],
      ["paid", "BOOLEAN"],
      ["buyer", "VARCHAR"],
      ["document_id", "VARCHAR"],
      ["method", "VARCHAR"],
      ...["total", "date", "paid", "buyer", "document_id", "method"].map((id) => [
        `${id}_evidence`,
        'STRUCT("unit" VARCHAR, "confidence" DOUBLE, "page" INTEGER, "text" VARCHAR, "start" INTEGER, "end" INTEGER)',
      ]),
    ]);
    const none = { label: null, amount: null, mixed: null, constructor: null };
    const unsaid = { total: null, paid: null, buyer: null, document_id: null, method: null };
    const meta = { document_id_: ID, document_name: "a 'file'" };
    expect(rows).toMatchObject([
      {
        ...meta,
        label: "yes",
        amount: 3,
        mixed: "1",
        constructor: null,
        total: 12.5,
        date: "2018-03-04",
        paid: false,
        buyer: "A; B",
        document_id: "X1",
        method: null,
        total_evidence: {
          unit: "EUR",
          confidence: 0.5,
          page: 1,
          text: '"12.5"\n',
          start: 3,
          end: 9,
        },
        method_evidence: null,
      },
      { ...meta, ...none, ...unsaid, mixed: "one", date: "2018-03-01", total_evidence: null },
      // What is no value of the kind is none; its evidence stays.
      {
        ...meta,
        ...none,
        ...unsaid,
        date: null,
        method: "cash",
        paid_evidence: { text: '"no"\n' },
      },
    ]);
  });
});

describe("columns", () => {
  it("step aside for questions, never the other way", () => {
    expect(columnNamesOf(["document_id", "document_id_", "total", "total_evidence"])).toEqual({
      meta: ["document_id__", "document_name"],
      evidence: [
        "document_id_evidence",
        "document_id__evidence",
        "total_evidence_",
        "total_evidence_evidence",
      ],
    });
  });

  it("are of the kind that a model learns from", () => {
    expect(plan.answerers.map(columnKindOf)).toEqual([
      "numeric",
      "timestamp",
      "boolean",
      null,
      null,
      "categorical",
    ]);
  });
});

describe("rows as JSON", () => {
  it("have an answer for each question, null where the document does not say", () => {
    const document = { name: "a", answers: { total: said(3) as never }, error: "" };
    const answered = rowOf({ document_id: ID }, ["total", "constructor"], document);
    expect(answered.answers).toEqual({
      total: said(3),
      constructor: { value: null, unit: null, confidence: null, page: null, span: null },
    });
    const unread = rowOf({ document_id: ID }, ["total"], {
      ...document,
      answers: null,
      error: "E",
    });
    expect(unread).toMatchObject({ error_message: "E", answers: { total: { value: null } } });
    for (const rows of [[], [answered], [answered, unread]]) {
      expect(JSON.parse(Buffer.concat([...rowsJson(rows)]).toString())).toEqual(rows);
    }
  });
});
