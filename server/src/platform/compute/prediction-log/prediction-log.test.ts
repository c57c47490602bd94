import { readTable } from "@distillery/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelKey, labelledRows } from "./labelled-rows.ts";
import { type LoggedRequest, loggedRows } from "./logged-request.ts";
import { writeLog } from "./write-log.ts";

const KINDS = { inputs: "text", time: "timestamp", value: "numeric", lower: "numeric" } as const;

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const logged = (id: string, rows: unknown, predictions: unknown): LoggedRequest => ({
  predictionId: id,
  requestId: null,
  modelId: "m",
  time: 1_900_000_000_123,
  ms: 1.5,
  coverage: null,
  rows: bytes(rows),
  answer: bytes({ model_id: "m", predictions, warnings: [] }),
});

describe("a log of predictions", () => {
  test("has inputs as they were sent, in either form of rows", async () => {
    const row = { age: 41, plan: 'ba"sic', gone: null, at: "2031-01-02", own: 1e300 };
    const prediction = { value: 0.1 + 0.2, interval: [-1, 1e-7] };
    const {
      bytes: file,
      rows,
      models,
    } = writeLog([
      logged("a", { instances: [row] }, [prediction]),
      logged("b", { columns: Object.keys(row), data: [Object.values(row)] }, [prediction]),
    ]);
    expect([rows, models]).toEqual([2, { m: 2 }]);
    const { table } = await readTable([file], { format: "parquet", kinds: KINDS });
    const cells = (name: string) => {
      const column = table.columns.find((each) => each.name === name);
      return column?.kind === "categorical" ? [] : [...(column?.values ?? [])];
    };
    expect(cells("inputs").map((text) => JSON.parse(String(text)))).toEqual([row, row]);
    expect(cells("time")).toEqual([1_900_000_000_123, 1_900_000_000_123]);
    expect(cells("value")).toEqual([0.1 + 0.2, 0.1 + 0.2]);
    expect(cells("lower")).toEqual([-1, -1]);
  });

  test("gives each labelled prediction back as it was answered", async () => {
    const name = fc.constantFrom("yes", "no", "NA", "1", 'tr"ue', "ü");
    const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
    const prediction = fc.record({ label: name, probabilities: fc.dictionary(name, share) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(prediction, { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (requests, every) => {
          const { bytes: file } = writeLog(
            requests.map((predictions, at) =>
              logged(`p${at}`, { instances: predictions.map(() => ({ at })) }, predictions),
            ),
          );
          const all = requests.flatMap((predictions, at) =>
            predictions.map((answer, row) => ({ key: labelKey(`p${at}`, row), answer })),
          );
          const known = all.filter((_, at) => at % every === 0);
          const labels = Object.fromEntries(known.map(({ key }) => [key, "yes"]));
          const found = await labelledRows({ file, labels, withInputs: false });
          const answered = found.map(({ key, answer: { label, probabilities } }) => ({
            key,
            answer: { label, probabilities },
          }));
          expect(answered).toEqual(known);
          const whole = await labelledRows({ file, labels, withInputs: true });
          expect(whole.map(({ inputs }) => `p${JSON.parse(inputs).at}`)).toEqual(
            known.map(({ key }) => key.split(" ")[0]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test("has of many rows as many as may be, each with its own prediction", async () => {
    const numbers = Array.from({ length: 2_500 }, (_, row) => row);
    const request = logged(
      "a",
      { columns: ["x"], data: numbers.map((x) => [x]) },
      numbers.map((value) => ({ value, interval: null, quantiles: { 0.5: value } })),
    );
    const { bytes: file, rows } = writeLog([request]);
    expect(rows).toBe(1_000);
    const labels = Object.fromEntries(numbers.map((row) => [labelKey("a", row), String(row)]));
    const found = await labelledRows({ file, labels, withInputs: true });
    expect(found.map(({ label }) => Number(label))).toEqual(loggedRows(2_500));
    for (const { label, inputs, answer } of found) {
      expect(JSON.parse(inputs)).toEqual({ x: Number(label) });
      expect(answer).toMatchObject({ value: Number(label), quantiles: { 0.5: Number(label) } });
      expect(answer.interval).toBeUndefined();
    }
  });

  test("is none where rows and predictions are not as many", () => {
    expect(() => writeLog([logged("a", { instances: [{}, {}] }, [{ value: 1 }])])).toThrow(
      "2 rows have 1 predictions",
    );
  });
});
