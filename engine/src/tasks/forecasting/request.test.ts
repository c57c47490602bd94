/** Requests for forecasts, through the framing: what is known, what is asked, and what is refused. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Frame } from "../../data/frame.ts";
import type { Column, Table } from "../../data/table.ts";
import type { FramedRows, ReadOptions, SavedFrame } from "../framing.ts";
import { stepColumnsOf } from "../step-columns.ts";
import { forecastingFraming } from "./framing.ts";

const numbers = (name: string, values: readonly number[]): Column => ({
  kind: "numeric",
  name,
  values: Float64Array.from(values),
});
const tableOf = (...columns: Column[]): Table => {
  const [first] = columns;
  return { rows: first.kind === "categorical" ? 0 : first.values.length, columns };
};

function trained(values: readonly number[], task: object = {}): SavedFrame {
  const table = tableOf(
    numbers(
      "t",
      values.map((_, i) => i),
    ),
    numbers("y", values),
  );
  const request = { rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 };
  return forecastingFraming.frame(table, {
    ...request,
    task: { timeColumn: "t", horizon: 3, seasonLength: 1, ...task },
  }).saved;
}

function read(
  saved: SavedFrame,
  { t, y }: { t: readonly number[]; y: readonly number[] },
  options: ReadOptions = {},
): FramedRows {
  return forecastingFraming.read(tableOf(numbers("t", t), numbers("y", y)), saved, options);
}

const targetOf = ({ frame }: FramedRows): number[] =>
  frame.kind === "series" ? [...frame.target] : [];
const timesOf = ({ keys }: FramedRows): unknown[] => keys.map(({ time }) => time);

const NONE = Number.NaN;

describe("rows of training behind the last value", () => {
  const request = { labelColumn: "y", beside: [], ignored: [], windows: 2 };
  const task = { timeColumn: "t", horizon: 3, seasonLength: 1, seriesColumns: ["s"] };
  const frameOf = (s: readonly number[], t: readonly number[], y: readonly number[]) =>
    forecastingFraming.frame(tableOf(numbers("s", s), numbers("t", t), numbers("y", y)), {
      ...request,
      rows: null,
      task,
    });

  it("are steps to come: left out, told of, and where forecasts begin", () => {
    const until = (steps: number) => Array.from({ length: 2 * steps }, (_, i) => i % steps);
    const of = (steps: number) =>
      Array.from({ length: 2 * steps }, (_, i) => Math.floor(i / steps));
    const y = (steps: number) => until(steps).map((t) => (t < 20 ? t : NONE));
    const [whole, longer] = [20, 29].map((steps) => frameOf(of(steps), until(steps), y(steps)));
    expect(longer.warnings).toEqual([
      'The 18 rows behind the last value of "y", first row 21, are steps to come: they are left out, and forecasts begin there. Send what is known of them as `future` with a request.',
      ...whole.warnings,
    ]);
    expect(longer.saved).toEqual(whole.saved);
    expect(longer.rolling?.folds).toEqual(whole.rolling?.folds);
  });

  it("stay where another series has a value there", () => {
    const t = Array.from({ length: 40 }, (_, i) => i % 20);
    const y = t.map((at, i) => (i < 20 && at > 17 ? NONE : at));
    const s = t.map((_, i) => Math.floor(i / 20));
    const framed = frameOf(s, t, y);
    expect(framed.table.rows).toBe(40);
    expect(framed.warnings.join()).not.toContain("steps to come");
  });
});

describe("a request's rows", () => {
  it("may give times as the numbers that the training data wrote", () => {
    const days = Array.from({ length: 20 }, (_, i) => Date.UTC(2014, 9, 13 + i));
    const y = days.map((_, i) => i);
    const time: Column = { kind: "timestamp", name: "t", values: Float64Array.from(days) };
    const { saved } = forecastingFraming.frame(tableOf(time, numbers("y", y)), {
      ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
      task: { timeColumn: "t", horizon: 2, seasonLength: 1 },
    });
    for (const given of [
      [20141102, 20141103],
      [Date.UTC(2014, 10, 2), Date.UTC(2014, 10, 3)],
    ]) {
      const framed = read(saved, { t: given, y: [7, 8] });
      expect(targetOf(framed).slice(-4, -2)).toEqual([7, 8]);
      expect(timesOf(framed)).toEqual(["2014-11-04T00:00:00.000Z", "2014-11-05T00:00:00.000Z"]);
    }
  });

  it("go on with the training data, wherever it is cut and however they are ordered", () => {
    const cases = fc
      .record({
        values: fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 12, maxLength: 40 }),
        cut: fc.integer({ min: 6, max: 11 }),
        overlap: fc.integer({ min: 0, max: 5 }),
      })
      .chain(({ values, cut, overlap }) => {
        const sent = values.map((y, t) => ({ t, y })).slice(cut - overlap);
        return fc.record({
          values: fc.constant(values),
          cut: fc.constant(cut),
          sent: fc.shuffledSubarray(sent, { minLength: sent.length, maxLength: sent.length }),
        });
      });
    fc.assert(
      fc.property(cases, ({ values, cut, sent }) => {
        const framed = read(
          trained(values.slice(0, cut)),
          { t: sent.map(({ t }) => t), y: sent.map(({ y }) => y) },
          { historyRows: sent.length },
        );
        const end = values.length;
        expect(targetOf(framed)).toEqual([...values, NONE, NONE, NONE]);
        expect(timesOf(framed)).toEqual([end, end + 1, end + 2]);
      }),
      { numRuns: 50 },
    );
  });

  it("stand alone where they do not touch the training data", () => {
    const framed = read(trained([1, 2, 3, 4, 5, 6]), { t: [20, 21, 23], y: [7, 8, 9] });
    expect(targetOf(framed)).toEqual([7, 8, NONE, 9, NONE, NONE, NONE]);
    // Seasons of training are turned to where they begin.
    expect(framed.frame).toMatchObject({ since: Int32Array.of(20) });
  });

  it("of steps alone are forecast from the training data's end, with the steps before them", () => {
    const framed = read(trained([1, 2, 3, 4, 5, 6]), { t: [8], y: [NONE] });
    expect(timesOf(framed)).toEqual([8]);
    expect([...(framed.rows ?? [])]).toEqual([6, 7, 8]);
    expect([...(framed.answered ?? [])]).toEqual([2]);
  });

  it("begin after the gap", () => {
    const saved = trained([1, 2, 3, 4, 5, 6, 7], { gap: 2 });
    const framed = forecastingFraming.read({ rows: 0, columns: [] }, saved, { horizon: 2 });
    expect(timesOf(framed)).toEqual([9, 10]);
    expect(() => read(saved, { t: [8], y: [NONE] }, { historyRows: 0 })).toThrow(
      /future\[0\].* is at 8; the model forecasts from 3 steps after the last known value, of 6, on/,
    );
  });

  it("without a value inside of the history are gaps, unless they are said to be asked", () => {
    const saved = trained([1, 2, 3, 4, 5, 6]);
    const rows = { t: [6, 7, 8], y: [7, NONE, 9] };
    expect(targetOf(read(saved, rows))).toEqual([1, 2, 3, 4, 5, 6, 7, NONE, 9, NONE, NONE, NONE]);
    expect(() => read(saved, { t: [6, 8, 7], y: [7, 9, NONE] }, { historyRows: 2 })).toThrow(
      /future\[0\].*at 7, which is not after its last known value, of 8/,
    );
  });

  it.each([
    ["a time beyond any step", { t: [1e300], y: [4] }, /Row 1 .* at 1e\+300, beyond any step/],
    ["a time between steps", { t: [6.5], y: [4] }, /Row 1 .* at 6.5, but .* at 6 and 7/],
    ["a step too far", { t: [9], y: [NONE] }, /Row 1 .* lies 4 steps after.*3 is the furthest/],
    ["two rows of a step", { t: [6, 6], y: [1, 2] }, /two rows at 6: Row 1 and Row 2/],
    ["a history of another age", { t: [0, 1e9], y: [1, 2] }, /2 values in 1000000001 steps/],
  ])("with %s are refused", (_, rows, message) => {
    expect(() => read(trained([1, 2, 3, 4, 5, 6]), rows)).toThrow(message);
  });

  it("are answered up to a number of steps", () => {
    const saved = trained([1, 2, 3, 4, 5, 6]);
    const none = { rows: 0, columns: [] };
    expect(forecastingFraming.read(none, saved, { most: 3 }).keys).toHaveLength(3);
    expect(() => forecastingFraming.read(none, saved, { most: 2 })).toThrow(
      /That is 3 steps to forecast .* at most 2/,
    );
  });

  it("are of months, quarters and business days only where these have steps", () => {
    const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
    const stamps = (texts: readonly string[]): Column => ({
      kind: "timestamp",
      name: "t",
      values: Float64Array.from(texts, day),
    });
    const saved = forecastingFraming.frame(
      tableOf(
        stamps(["2031-01-31", "2031-02-28", "2031-03-31", "2031-04-30", "2031-05-31"]),
        numbers("y", [1, 2, 3, 4, 5]),
      ),
      {
        task: { timeColumn: "t", horizon: 2 },
        rows: null,
        labelColumn: "y",
        beside: [],
        ignored: [],
        windows: 1,
      },
    ).saved;
    expect(timesOf(forecastingFraming.read({ rows: 0, columns: [] }, saved))).toEqual([
      "2031-06-30T00:00:00.000Z",
      "2031-07-31T00:00:00.000Z",
    ]);
    expect(() => forecastingFraming.read(tableOf(stamps(["2031-06-29"])), saved)).toThrow(
      /at 2031-05-31T00:00:00.000Z and 2031-06-30T00:00:00.000Z/,
    );
  });
});

describe("a column that is known of the past alone", () => {
  const ordered = [1, 0, 3, 1, 0, 2, 1, 5, 0, 1];
  const table = tableOf(
    numbers("t", [...ordered.keys()]),
    numbers(
      "y",
      [...ordered.keys()].map((t) => t + 1),
    ),
    numbers("ordered", ordered),
  );
  const { saved } = forecastingFraming.frame(table, {
    ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
    task: { timeColumn: "t", horizon: 3, seasonLength: 1 },
  });

  it("is not read of steps to come, which is told", () => {
    const rows = tableOf(
      numbers("t", [10, 11, 12]),
      numbers("y", [4, NONE, NONE]),
      numbers("ordered", [2, NONE, 7]),
    );
    const { warnings } = forecastingFraming.read(rows, saved, { historyRows: 1 });
    expect(warnings).toEqual([
      expect.stringMatching(/^"ordered" has a value in 1 row of steps to come, first future\[1\]/),
    ]);
  });

  it("is missed of a history only where it is read", () => {
    const lacking = { t: [10], y: [4] };
    expect(read(saved, lacking).warnings).toEqual([
      expect.stringMatching(/^"ordered" has no value in 1 row of the history, first Row 1/),
    ]);
    expect(read(saved, lacking, { readsPast: false }).warnings).toEqual([]);
  });
});

describe("a column that is known in advance and blank on ordinary days", () => {
  const steps = Array.from({ length: 12 }, (_, t) => t);
  const event = (codes: readonly number[]): Column => ({
    ...{ kind: "categorical", name: "event", categories: ["sale"], codes: Int32Array.from(codes) },
  });
  const savedOf = (column: Column): SavedFrame =>
    forecastingFraming.frame(tableOf(numbers("t", steps), numbers("y", steps), column), {
      ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
      task: { timeColumn: "t", horizon: 3, seasonLength: 1, knownColumns: [column.name] },
    }).saved;
  const warningsOf = (column: Column, sent: Column, options: ReadOptions): readonly string[] =>
    forecastingFraming.read(
      tableOf(numbers("t", [12, 13, 14]), numbers("y", [4, NONE, NONE]), sent),
      savedOf(column),
      { historyRows: 1, readsKnownPast: true, ...options },
    ).warnings;

  it("is blank in requests too, without a word", () => {
    const blank = event(steps.map((t) => (t % 4 === 1 ? 0 : -1)));
    expect(warningsOf(blank, event([-1, 0, -1]), { horizon: 2 })).toEqual([]);
    const rare = numbers(
      "off",
      steps.map((t) => (t % 4 === 1 ? t : NONE)),
    );
    expect(warningsOf(rare, numbers("off", [NONE, 5, NONE]), { horizon: 2 })).toEqual([]);
    // Of a step that no row is of, nothing was said.
    const nothing: Table = { rows: 0, columns: [] };
    const { warnings } = forecastingFraming.read(nothing, savedOf(blank), { historyRows: 0 });
    expect(warnings).toEqual([expect.stringMatching(/^"event" is not given for 3 of the 3 steps/)]);
  });

  it("is missed where training had but gaps", () => {
    const gaps = numbers(
      "off",
      steps.map((t) => (t % 4 === 1 ? NONE : t)),
    );
    expect(warningsOf(gaps, numbers("off", [NONE, 5, NONE]), { horizon: 2 })).toEqual([
      expect.stringMatching(/^"off" has no value in 1 row of the history/),
      expect.stringMatching(/^"off" is not given for 1 of the 2 steps/),
    ]);
  });
});

describe("texts and booleans that are known of the past alone", () => {
  const days = [...Array(10).keys()];
  const skies = ["sun", "rain", null, "sun", "rain", "rain", "sun", "sun", null, "rain"];
  const texts = (name: string, values: readonly (string | null)[]): Column => ({
    kind: "text",
    name,
    values: [...values],
  });
  const flags = (name: string, values: readonly (boolean | null)[]): Column => ({
    kind: "boolean",
    name,
    values: Uint8Array.from(values, (value) => (value === null ? 255 : Number(value))),
  });
  const framedWith = (...columns: readonly Column[]) =>
    forecastingFraming.frame(
      tableOf(
        numbers("t", days),
        numbers(
          "y",
          days.map((t) => t + 1),
        ),
        ...columns,
      ),
      {
        ...{ rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 },
        task: { timeColumn: "t", horizon: 3, seasonLength: 1 },
      },
    );
  const promoted = flags(
    "promoted",
    days.map((t) => (t === 4 ? null : t % 3 === 0)),
  );
  const pastOf = (frame: Frame | null) => (frame?.kind === "series" ? (frame.past ?? []) : []);

  it("are numbers of 0 and 1, one a text, and missing where they are", () => {
    const { frame, warnings } = framedWith(texts("sky", skies), promoted);
    expect(pastOf(frame).map(({ values }) => [...values])).toEqual([
      skies.map((sky) => (sky === null ? Number.NaN : Number(sky === "rain"))),
      skies.map((sky) => (sky === null ? Number.NaN : Number(sky === "sun"))),
      days.map((t) => (t === 4 ? Number.NaN : Number(t % 3 === 0))),
    ]);
    expect(warnings.join(" ")).toMatch(/"sky", "promoted" change with time/);
  });

  it("are read of a history as in training; a text that was never seen is none of them", () => {
    const { saved } = framedWith(texts("sky", skies), promoted);
    expect(forecastingFraming.inputs(saved).map(({ name, kind }) => [name, kind])).toEqual([
      ["y", "numeric"],
      ["t", "numeric"],
      ["sky", "text"],
      ["promoted", "numeric"],
    ]);
    const rows = tableOf(
      numbers("t", [10, 11]),
      numbers("y", [4, 5]),
      texts("sky", ["rain", "hail"]),
      flags("promoted", [true, false]),
    );
    const { frame, warnings } = forecastingFraming.read(rows, saved);
    const [rain, sun, flag] = pastOf(frame).map(({ values }) => [...values.subarray(10, 12)]);
    expect({ rain, sun, flag }).toEqual({ rain: [1, 0], sun: [0, 0], flag: [1, 0] });
    expect(warnings).toEqual([]);
  });

  it("are told of once a column where a history lacks them, or steps to come have them", () => {
    const { saved } = framedWith(texts("sky", skies));
    const rows = tableOf(
      numbers("t", [10, 11]),
      numbers("y", [4, NONE]),
      texts("sky", [null, "sun"]),
    );
    const { warnings } = forecastingFraming.read(rows, saved, { historyRows: 1 });
    expect(warnings).toEqual([
      expect.stringMatching(/^"sky" has a value in 1 row of steps to come/),
      expect.stringMatching(/^"sky" has no value in 1 row of the history/),
    ]);
  });

  it("are left out where they are times, or more texts than ten", () => {
    const seen: Column = { kind: "timestamp", name: "seen", values: Float64Array.from(days) };
    const { frame, warnings } = framedWith(seen, texts("sky", skies));
    expect(pastOf(frame)).toHaveLength(2);
    expect(warnings.join(" ")).toMatch(/"seen" changes with time .* it is left out/);
    const rows = [...Array(12).keys()];
    const words = (levels: number) =>
      texts(
        "word",
        rows.map((row) => `word ${row % levels}`),
      );
    expect(stepColumnsOf(words(10), rows)?.map(({ level }) => level)).toContain("word 9");
    expect(stepColumnsOf(words(11), rows)).toBeNull();
  });

  it("of models that named columns alone are numbers", () => {
    const { saved, frame } = framedWith(numbers("ordered", days));
    const header = { ...(saved.header as object), past: ["ordered"] };
    const read = forecastingFraming.read(tableOf(numbers("t", [10]), numbers("y", [4])), {
      ...saved,
      header,
    });
    expect(pastOf(read.frame).map(({ name }) => name)).toEqual(
      pastOf(frame).map(({ name }) => name),
    );
  });
});
