/** What a sum of splines, or one that explains little, says of rows far from those that it knows lies where labels can. */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { linear } from "./family.ts";
import { contextOf, encodeColumns } from "./testing/data.ts";

const TASK = { kind: "regression", classes: [] } as const;
const LEARNED = 60;
/** As of a spectrum: one number drives them all, and their small differences tell the label. */
const COLUMNS = 12;
const ROWS = 300;

const random = new CounterRandom(deriveKey(4, "held"));
const drive = Float64Array.from({ length: ROWS }, () => random.nextGaussian());
const columns = Array.from({ length: COLUMNS }, () =>
  drive.map((value) => value + 0.02 * random.nextGaussian()),
);
// Rows that nobody knows: each cell is one that was seen, and they do not go together.
for (const cells of columns) {
  for (let row = LEARNED; row < ROWS; row++) cells[row] = cells[random.nextInteger(LEARNED)];
}
const data = encodeColumns(columns.map((cells, j) => ({ name: `x${j}`, cells })));
const target = drive.map((value, i) => 10 * value + 300 * (columns[0][i] - columns[1][i]));
const context = contextOf(TASK, data, target, {
  trainRows: Uint32Array.from({ length: LEARNED }, (_, row) => row),
});
const shape = { rows: LEARNED, task: TASK, features: data.features };
const fitted = (more: Record<string, string | number>) =>
  linear.fit(context, { ...linear.defaults(shape), penalty: 1e-6, ...more });
const learned = [...target.subarray(0, LEARNED)];
const [least, greatest] = [Math.min(...learned), Math.max(...learned)];
const reach = (greatest - least) / 2;

describe("a sum of splines", () => {
  const model = fitted({});
  const values = model.predict(data, null);

  it("is held within half of the labels' range beyond them, and is what it was within", () => {
    expect(Math.min(...values)).toBeCloseTo(least - reach, 9);
    expect(Math.max(...values)).toBeCloseTo(greatest + reach, 9);
    for (let row = 0; row < LEARNED; row++)
      expect(Math.abs(values[row] - target[row])).toBeLessThan(9);
    // A few rows are added up another way.
    expect(model.predict(data, Uint32Array.of(70, 80))).toEqual(
      values.filter((_, i) => i === 70 || i === 80),
    );
  });

  it("explains what it says", () => {
    const { baseValues, contributions, margins } = model.explain(data, null);
    expect(margins).toEqual(values);
    for (let row = 0; row < ROWS; row++) {
      const parts = contributions.subarray(row * COLUMNS, (row + 1) * COLUMNS);
      const sum = parts.reduce((all, part) => all + part, baseValues[0]);
      expect(sum).toBeCloseTo(values[row], 6);
    }
  });

  it("comes back with its range, and one of before has none", () => {
    const { header, tensors } = model.save();
    const place = { task: TASK, features: data.features, bins: null };
    const copied: unknown = JSON.parse(JSON.stringify(header));
    expect(linear.load({ header: copied, tensors }, place).predict(data, null)).toEqual(values);
    const { range, ...before } = JSON.parse(JSON.stringify(header));
    expect(range).toEqual([expect.closeTo(least - reach, 9), expect.closeTo(greatest + reach, 9)]);
    const free = linear.load({ header: before, tensors }, place).predict(data, null);
    expect(Math.max(...free)).toBeGreaterThan(greatest + 2 * reach);
  });
});

describe("numbers as they are", () => {
  const far = Float64Array.from(drive, (value, i) => (i < LEARNED ? value : 1e4 * value));
  const noise = drive.map(() => random.nextGaussian());
  const cells = encodeColumns([{ name: "x", cells: far }]);

  /** Of a label that is so much noise beside its number. */
  function said(noisy: number, more: Record<string, string | number>) {
    const labels = far.map((value, i) => value + noisy * noise[i]);
    const own = contextOf(TASK, cells, labels, { trainRows: context.trainRows });
    const parameters = { ...linear.defaults(shape), numeric_transform: "none", ...more };
    const model = linear.fit(own, parameters);
    const [low, high] = [Math.min, Math.max].map((most) => most(...labels.subarray(0, LEARNED)));
    return { values: model.predict(cells, null), low, high, beyond: (high - low) / 2 };
  }

  it.each(["l2", "l2_gcv", "elastic_net"])(
    "go on beyond all labels that they explain, by %s",
    (regularization) => {
      const { values, high, beyond } = said(0.3, { regularization });
      expect(Math.max(...values)).toBeGreaterThan(high + 100 * beyond);
    },
  );

  it.each(["l2", "l2_gcv", "elastic_net"])(
    "are held near labels of which they explain little, by %s",
    (regularization) => {
      const { values, low, high, beyond } = said(3, { regularization });
      expect(Math.max(...values)).toBeCloseTo(high + beyond, 9);
      expect(Math.min(...values)).toBeCloseTo(low - beyond, 9);
    },
  );
});
