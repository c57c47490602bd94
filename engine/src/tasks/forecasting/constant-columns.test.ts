/** Columns that are known in advance and were the same in all of the training data: not read, and nothing is missed of them. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRows } from "../../answers/rows.ts";
import type { Table } from "../../data/table.ts";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";
import { forecastingFraming } from "./framing.ts";
import { headerSchema } from "./header.ts";

const DAYS = 60;
const day = (i: number): string => new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
const priceOf = (i: number): number => 10 + ((i * 7) % 5);

/** The 30th day is not there, so that the grid has a step without a row. */
function csv(): string {
  const lines = Array.from({ length: DAYS }, (_, i) =>
    i === 30
      ? []
      : [`${day(i)},${100 + (i % 7) - 2 * priceOf(i)},0,,true,north,${priceOf(i)},web,7`],
  );
  return ["t,y,promo,event,open,region,price,channel,size", ...lines.flat()].join("\n");
}

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-constant-columns-"));
  const path = join(folder, "data.csv");
  await writeFile(path, csv());
  const knownColumns = ["promo", "event", "open", "region", "price"];
  ({ model } = await train(
    { path, format: "csv" },
    {
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t" },
        ...{ horizon: 3, knownColumns },
      },
      hpoSpace: { models: [{ family: "dynamic_regression" }] },
      nTrials: 1,
      nCvSplits: 2,
    },
    { folder: join(folder, "run"), pool: sharedPool(1) },
  ));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function forecast(of: Model, future: readonly Readonly<Record<string, unknown>>[]) {
  const { table, warnings, options } = readRows(of, { future }, undefined);
  const { values, warnings: more } = of.predict(table, options);
  return {
    values: [...values],
    warnings: [...warnings.map(({ message }) => message), ...more].filter(
      (told) => !told.includes("out-of-fold"),
    ),
  };
}

const PRICED = { t: day(DAYS), price: 10 };
const SAME = { promo: 0, event: null, open: "true", region: "north" };

describe("columns that were constant or empty", () => {
  it("are named by the training, as not read", () => {
    expect(model.document.card.warnings.filter((told) => told.includes("is not read"))).toEqual([
      expect.stringMatching(/^"promo", known in advance, is "0" in all rows: /),
      expect.stringMatching(/^"event", known in advance, has no value in any row: /),
      expect.stringMatching(/^"open", known in advance, is "true" in all rows: /),
      expect.stringMatching(/^"region", known in advance, is "north" in all rows: /),
    ]);
    expect(model.inputs.columns.map(({ name }) => name)).not.toContain("promo");
  });

  it("may be there or not, in every kind of rows", () => {
    const { values, warnings } = forecast(model, [PRICED]);
    expect(warnings).toEqual([]);
    for (const same of [
      SAME,
      { promo: "0.0", event: "", open: true, region: "north", channel: "web", size: 7 },
      { promo: null },
    ]) {
      expect(forecast(model, [{ ...PRICED, ...same }])).toEqual({ values, warnings: [] });
    }
    expect([...model.predict([{ ...PRICED, ...SAME }]).values]).toEqual(values);
    const table: Table = {
      rows: 1,
      columns: [
        { kind: "timestamp", name: "t", values: Float64Array.of(Date.parse(PRICED.t)) },
        { kind: "numeric", name: "price", values: Float64Array.of(10) },
        { kind: "numeric", name: "promo", values: Float64Array.of(1) },
      ],
    };
    const read = model.predict(table, { horizon: 1 });
    expect([...read.values]).toEqual(values);
    expect(read.warnings.slice(0, -1)).toEqual([
      expect.stringMatching(/^"promo" has a value in 1 row /),
    ]);
  });

  it("are told of where their value is new", () => {
    const { values } = forecast(model, [PRICED]);
    const told = forecast(model, [
      { ...PRICED, promo: 1, event: "sale", open: false, region: "south" },
    ]);
    expect(told.values).toEqual(values);
    expect(told.warnings).toEqual([
      '"promo" has a value in 1 row that training did not have, first future[0]: it was "0" in all rows of the training data, so the model does not read it.',
      '"event" has a value in 1 row that training did not have, first future[0]: it had none in any row of the training data, so the model does not read it.',
      expect.stringMatching(/^"open" .* it was "true"/),
      expect.stringMatching(/^"region" .* it was "north"/),
    ]);
  });

  it("do not hide what else is missing", () => {
    expect(() => forecast(model, [{ t: day(DAYS), ...SAME }])).toThrow(/lacks "price"/);
  });

  it("are not missed by models that were saved with them among what is known", () => {
    const steps = Float64Array.from({ length: 20 }, (_, t) => t);
    const tableOf = (rows: Float64Array, promo: number[]): Table => ({
      rows: rows.length,
      columns: [
        { kind: "numeric", name: "t", values: rows },
        { kind: "numeric", name: "y", values: rows.map((t) => (t < 20 ? t : Number.NaN)) },
        ...(promo.length > 0
          ? [{ kind: "numeric" as const, name: "promo", values: Float64Array.from(promo) }]
          : []),
      ],
    });
    const { saved } = forecastingFraming.frame(tableOf(steps, new Array<number>(20).fill(0)), {
      ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
      task: { timeColumn: "t", horizon: 3, seasonLength: 1, knownColumns: ["promo"] },
    });
    const { constant, ...header } = headerSchema.parse(saved.header);
    expect(constant).toEqual([{ name: "promo", kind: "numeric", value: "0" }]);
    const older = { ...saved, header: { ...header, known: [{ name: "promo", kind: "numeric" }] } };
    const read = (table: Table, dropped: string[]) =>
      forecastingFraming.read(table, older, { historyRows: 0, dropped });
    const ahead = tableOf(Float64Array.of(20), []);
    expect(() => read(ahead, [])).toThrow(/lacks "promo"/);
    expect(read(ahead, ["promo"]).warnings).toEqual([]);
    expect(read(tableOf(Float64Array.of(20), [1]), ["promo"]).warnings).toEqual([]);
  });
});
