import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  loadModel,
  type Model,
  modelFolder,
  predictionsOf,
  predictRows,
  train,
} from "@distillery/engine";
import { arrowRanges } from "@distillery/engine/arrow";
import {
  Bool,
  type DataType,
  Dictionary,
  Float32,
  Float64,
  Int32,
  Int64,
  makeData,
  Null,
  Table,
  TimestampMillisecond,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UnprocessableError } from "../../input/problem.ts";
import {
  ARROW_LIMITS,
  answerArrow,
  joinArrow,
  planArrow,
  predictArrowPart,
} from "./answer-arrow.ts";
import type { ArrowBody, Asked } from "./messages.ts";
import { predictArrow } from "./predict-arrow.ts";

let home: string;
/** Of three classes, and of a value. */
let models: Model[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arrow-"));
  const lines = Array.from({ length: 240 }, (_, row) => {
    const x = (row * 37) % 100;
    const day = new Date(Date.UTC(2024, 0, 1 + (row % 90))).toISOString();
    const shop = ["north", "south", "east"][row % 3];
    return `${x},${shop},${(row * 7) % 11},${day},${row % 5 === 0},${x > 60 ? "a" : row % 3 === 0 ? "b" : "c"},${x + (row % 3)}`;
  });
  const path = join(home, "shops.csv");
  await writeFile(path, ["x,shop,z,day,open,class,value", ...lines].join("\n"));
  models = [];
  for (const [labelColumn, taskKind] of [
    ["class", "multiclass"],
    ["value", "regression"],
  ] as const) {
    const folder = join(home, labelColumn);
    await train(
      { path, format: "csv" },
      {
        task: {
          taskKind,
          labelColumn,
          ignoreColumns: [labelColumn === "class" ? "value" : "class"],
        },
        modelFamilies: ["gbdt"],
        nTrials: 1,
        nCvSplits: 2,
      },
      { folder },
    );
    models.push(await loadModel(modelFolder(join(folder, "model"))));
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

const rows = fc.array(
  fc.record({
    x: fc.option(fc.integer({ min: -10, max: 120 })),
    shop: fc.constantFrom("north", "south", "east", "nowhere", null),
    z: fc.option(fc.integer({ min: 0, max: 48 }).map((quarter) => quarter / 4)),
    day: fc.option(fc.integer({ min: 0, max: 2000 }).map((d) => Date.UTC(2020, 0, 1 + d))),
    open: fc.option(fc.boolean()),
  }),
  { minLength: 1, maxLength: 12 },
);

/** The types that each column may come in, and the same of a row as JSON. */
const integers = fc.constantFrom<DataType>(new Int32(), new Int64(), new Float64(), new Utf8());
const fractions = fc.constantFrom<DataType>(new Float32(), new Float64(), new Utf8());
const texts = fc.constantFrom<() => DataType>(
  () => new Utf8(),
  () => new Dictionary(new Utf8(), new Int32()),
);

function column(values: readonly unknown[], type: DataType): Vector {
  const taken = values.map((value) => {
    if (value === null) return null;
    if (type instanceof Int64) return BigInt(Number(value));
    return type instanceof Utf8 ? String(value) : value;
  });
  return vectorFromArray(taken, type);
}

test("rows as Arrow are answered as the same rows are as JSON, as JSON and as Arrow", async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      integers,
      fractions,
      texts,
      fc.constantFrom("stream", "file"),
      fc.constantFrom(0, 1),
      fc.boolean(),
      async (list, ofX, ofZ, ofShop, form, which, isStrange) => {
        const model = models[which];
        const columns: Record<string, Vector> = {
          x: column(
            list.map(({ x }) => x),
            ofX,
          ),
          shop: column(
            list.map(({ shop }) => shop),
            ofShop(),
          ),
          z: column(
            list.map(({ z }) => z),
            ofZ,
          ),
          day: column(
            list.map(({ day }) => day),
            new TimestampMillisecond(),
          ),
          ...(isStrange
            ? { other: vectorFromArray(list.map(() => 1)) }
            : {
                open: vectorFromArray(
                  list.map(({ open }) => open),
                  new Bool(),
                ),
              }),
        };
        const table = new Table(columns);
        const body = tableToIPC(table, form as "stream" | "file");
        const instances = list.map(({ open, ...row }) => ({
          ...row,
          ...(isStrange ? { other: 1 } : { open }),
          day: row.day === null ? null : new Date(row.day).toISOString(),
        }));
        const output = predictRows(model, { rows: { instances } });
        const expected = predictionsOf(output);
        const request = { modelId: "m", folder: "", body };
        const json = await answerArrow(model, { ...request, answerAs: "json" });
        const found = JSON.parse(Buffer.from(json.body).toString());
        expect(found.predictions).toEqual(expected.predictions);
        expect(found.warnings.toSorted()).toEqual(expected.warnings.toSorted());
        const arrow = await answerArrow(model, { ...request, answerAs: "arrow" });
        expect(arrow.rows).toBe(list.length);
        const answer = tableFromIPC(arrow.body);
        expect(answer.schema.metadata.get("warnings")).toBe(JSON.stringify(found.warnings));
        for (const [at, prediction] of expected.predictions.entries()) {
          const own = answer.get(at)?.toJSON() ?? {};
          if ("label" in prediction) {
            const probabilities = Object.entries(prediction.probabilities ?? {});
            expect(own["label"]).toBe(prediction.label);
            for (const [name, value] of probabilities)
              expect(own[`probability_${name}`]).toBe(value);
            expect([...own["set"]]).toEqual("set" in prediction ? prediction.set : undefined);
          } else {
            const interval = "interval" in prediction ? prediction.interval : undefined;
            expect(own["value"]).toBe(prediction.value);
            expect([own["lower"], own["upper"]]).toEqual(interval);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** Of one row after another, some of them in shops that nobody knows. */
function tableOf(count: number, seed: number): Table {
  const of = <Value>(cell: (row: number) => Value): Value[] =>
    Array.from({ length: count }, (_, row) => cell((row * 7919 + seed) % 1009));
  return new Table({
    shop: vectorFromArray(
      of((row) => (row % 61 === 5 ? `new ${row % 3}` : ["north", "south", "east"][row % 3])),
      new Dictionary(new Utf8(), new Int32()),
    ),
    x: vectorFromArray(
      of((row) => (row % 11 === 3 ? null : row / 9)),
      new Float64(),
    ),
    other: vectorFromArray(of(String), new Utf8()),
    z: vectorFromArray(
      of((row) => Math.fround(row / 90)),
      new Float32(),
    ),
  });
}

test("rows are answered to the same bits however they are cut into parts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 65, max: 900 }),
      fc.nat(),
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom(0, 1),
      fc.constantFrom(undefined, 0.8),
      async (count, seed, size, which, coverage) => {
        const model = models[which];
        const body = shared(tableToIPC(tableOf(count, seed), "stream"));
        const request = { modelId: "m", folder: "", body, coverage };
        const whole = await answerArrow(model, { ...request, answerAs: "arrow" });
        const kinds = Object.fromEntries(
          model.inputs.columns.map(({ name, kind }) => [name, kind]),
        );
        const ranges = arrowRanges(body, size, { kinds, limits: ARROW_LIMITS });
        const parts = ranges?.map((range) => predictArrowPart(model, { ...request, range })) ?? [];
        expect(parts.length).toBe(Math.ceil(count / (Math.ceil(size / 64) * 64)));
        const found = joinArrow(model, { ...request, parts });
        expect(found.rows).toBe(count);
        expect(Buffer.from(found.body).equals(whole.body)).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

test("threads are asked for parts of a large body, and for the whole where a part is at fault", async () => {
  const [model] = models;
  const asked: string[] = [];
  const pool = {
    threads: 2,
    async ask<Answer>({ kind, request }: Exclude<Asked, { kind: "check" }>): Promise<Answer> {
      asked.push(kind);
      const answer = async (): Promise<unknown> => {
        if (kind === "planArrow")
          return planArrow(model, request) ?? (await answerArrow(model, request));
        if (kind === "predictArrowPart") return predictArrowPart(model, request);
        if (kind === "joinArrow") return joinArrow(model, request);
        if (kind === "predictArrow") return answerArrow(model, request);
        throw new Error(kind);
      };
      return (await answer()) as Answer;
    },
  };
  const bodyOf = (count: number) => shared(tableToIPC(tableOf(count, 1), "stream"));
  const said = async (body: Uint8Array, answerAs: ArrowBody["answerAs"] = "arrow") => {
    asked.length = 0;
    const request = { modelId: "m", folder: "", body, answerAs } as const;
    const whole = await answerArrow(model, request).catch((error: unknown) => error);
    const found = await predictArrow(pool, request).catch((error: unknown) => error);
    expect(found).toEqual(whole);
    return asked.join(" ");
  };
  const part = "predictArrowPart";
  const large = bodyOf(9000);
  expect(await said(large)).toBe(`planArrow ${part} ${part} joinArrow`);
  expect(await said(new Uint8Array(large))).toBe("predictArrow");
  expect(await said(large, "json")).toBe("planArrow");
  expect(await said(bodyOf(4000))).toBe("planArrow");
  // A code of the shops beyond the last one, at a row of the second part.
  const [codes] = tableOf(9000, 1).getChild("shop")?.data ?? [];
  const bytes = Buffer.from(codes?.values.buffer ?? [], codes?.values.byteOffset, 4 * 9000);
  const at = Buffer.from(large).indexOf(bytes);
  expect(at).toBeGreaterThan(0);
  new DataView(large.buffer).setInt32(at + 4 * 5000, 99, true);
  expect(await said(large)).toMatch(/^planArrow predictArrowPart .*predictArrow$/);
});

/** Of `fixtures/make_streams.py`. */
const stream = (name: string) =>
  readFile(new URL(`./fixtures/${name}.arrow`, import.meta.url)).then((body) => Buffer.from(body));

const answered = async (name: string, model: Model) => {
  const request = { modelId: "m", folder: "", body: await stream(name), answerAs: "json" } as const;
  return JSON.parse(Buffer.from((await answerArrow(model, request)).body).toString());
};

test.each([
  "decimal128",
  "decimal256",
  "float16",
  "large_string",
  "string_view",
  "dictionary_null_index",
  "dictionary_null_value",
  "empty_batches",
  "lz4",
  "zstd",
  "times_s",
  "times_ns",
  "times_zone",
  "times_offset",
])("pyarrow's %s means what the same rows mean as JSON", async (name) => {
  const day = ["2024-02-01T00:00:00Z", null, "2024-02-01T01:00:00Z"];
  const instances = [
    { x: 12, shop: "north", z: 1.25 },
    { x: null, shop: "south", z: 2.5 },
    { x: -3, shop: null, z: null },
  ].map((row, at) => (name.startsWith("times") ? { ...row, day: day[at] } : row));
  for (const model of models) {
    const { predictions, warnings } = predictionsOf(predictRows(model, { rows: { instances } }));
    const found = await answered(name, model);
    expect(found.predictions).toEqual(predictions);
    expect(found.warnings.toSorted()).toEqual(warnings.toSorted());
  }
});

test.each([
  ["refused_list", { column: "x" }],
  ["refused_struct", { column: "x" }],
  ["refused_extra_list", { column: "extra" }],
  ["refused_binary", { column: "x" }],
  // Rows are counted over all batches.
  ["refused_second_batch", { column: "x", row: 5 }],
  ["no_rows", undefined],
  ["no_batches", undefined],
])("pyarrow's %s is refused, naming its column and row", async (name, ctx) => {
  const fault = await answered(name, models[0]).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(UnprocessableError);
  expect(fault).toMatchObject({ detail: [{ loc: ["body"], ...(ctx && { ctx }) }] });
});

test("what is wrong with Arrow rows is said of their column and row", async () => {
  const asked = (body: Uint8Array) =>
    answerArrow(models[0], { modelId: "m", folder: "", body, answerAs: "arrow" });
  const wrong = new Table({ x: vectorFromArray(["1", "many"], new Utf8()) });
  const fault = await asked(tableToIPC(wrong)).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(UnprocessableError);
  expect(fault).toMatchObject({ detail: [{ loc: ["body"], ctx: { column: "x" } }] });
  await expect(asked(Buffer.from("no Arrow at all"))).rejects.toThrow(UnprocessableError);
  const none = new Table({ x: vectorFromArray<Float64>([], new Float64()) });
  await expect(asked(tableToIPC(none))).rejects.toThrow(UnprocessableError);
  const whole = tableToIPC(new Table({ x: vectorFromArray([1, 2, 3], new Float64()) }));
  await expect(asked(whole.subarray(0, whole.length - 40))).rejects.toThrow(UnprocessableError);
});

test("a table is refused by what it would take in memory, also of columns that no model reads", async () => {
  const nothing = new Vector([makeData({ type: new Null(), length: 1_000_000 })]);
  const wide = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`n${at}`, nothing]));
  const body = tableToIPC(new Table(wide));
  const fault = await answerArrow(models[0], {
    modelId: "m",
    folder: "",
    body,
    answerAs: "arrow",
  }).catch((error: unknown) => error);
  expect(fault).toMatchObject({
    detail: [{ loc: ["body"], ctx: { limit: "table_bytes", maximum: ARROW_LIMITS.tableBytes } }],
  });
});
