import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Task } from "../tasks/index.ts";
import type { Calibration } from "./calibration/calibration.ts";
import { type CombinationLayer, Combiner } from "./combiner.ts";

const clipped = (p: number): number => Math.min(1 - 1e-6, Math.max(1e-6, p));
const logOdds = (p: number): number => Math.log(clipped(p) / (1 - clipped(p)));

function softmax(margins: readonly number[]): number[] {
  const most = Math.max(...margins);
  const powers = margins.map((margin) => Math.exp(margin - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function onCurve({ x, y }: { readonly x: number[]; readonly y: number[] }, p: number): number {
  const next = x.findIndex((knot) => knot > p);
  if (next < 0) return y[y.length - 1];
  if (next === 0) return y[0];
  const low = next - 1;
  return y[low] + ((p - x[low]) / (x[next] - x[low])) * (y[next] - y[low]);
}

/** A row by the definitions, one step after another. */
function calibrated(calibration: Calibration | null, row: readonly number[]): number[] {
  if (calibration === null) return [...row];
  if (calibration.kind === "temperature") {
    const { scale, bias } = calibration;
    return row.length === 1
      ? [1 / (1 + Math.exp(-(scale * logOdds(row[0]) + bias)))]
      : softmax(row.map((p) => scale * Math.log(clipped(p))));
  }
  const values = row.map((p, k) =>
    onCurve({ x: [...calibration.curves[k].x], y: [...calibration.curves[k].y] }, p),
  );
  if (row.length === 1) return values;
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => value / sum);
}

interface Member {
  readonly weight: number;
  readonly calibration: Calibration | null;
  readonly values: Float64Array;
}

function combinedSlowly(
  task: Task,
  layer: CombinationLayer | null,
  members: readonly Member[],
  rows: number,
  outputs: number,
): Float64Array {
  const isClass = task.kind !== "regression";
  const all: number[] = [];
  for (let row = 0; row < rows; row++) {
    let sums = Array.from({ length: outputs }, (_, k) => layer?.intercepts[k] ?? 0);
    for (const { weight, calibration, values } of members) {
      if (weight === 0) continue;
      const own = [...values.subarray(row * outputs, (row + 1) * outputs)];
      const parts = calibrated(calibration, own).map((p) => {
        if (layer === null || !isClass) return p;
        return outputs === 1 ? logOdds(p) : Math.log(clipped(p));
      });
      sums = sums.map((sum, k) => sum + weight * parts[k]);
    }
    if (layer !== null && isClass) {
      sums = outputs === 1 ? [1 / (1 + Math.exp(-sums[0]))] : softmax(sums);
    }
    all.push(...sums);
  }
  return Float64Array.from(all);
}

const TASKS: readonly { readonly task: Task; readonly outputs: number }[] = [
  { task: { kind: "regression", classes: [] }, outputs: 1 },
  { task: { kind: "binclass", classes: ["no", "yes"] }, outputs: 1 },
  { task: { kind: "multiclass", classes: ["a", "b", "c"] }, outputs: 3 },
  { task: { kind: "multiclass", classes: ["a", "b", "c", "d"] }, outputs: 4 },
];

const probability = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));

function calibrationOf(outputs: number): fc.Arbitrary<Calibration> {
  const curve = fc
    .uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 })
    .chain((x) =>
      fc
        .array(fc.double({ min: 0.01, max: 0.99, noNaN: true }), {
          minLength: x.length,
          maxLength: x.length,
        })
        .map((y) => ({ x: x.sort((a, b) => a - b), y: y.sort((a, b) => a - b) })),
    );
  return fc.oneof(
    fc.record({
      kind: fc.constant("temperature" as const),
      scale: fc.double({ min: 0.05, max: 5, noNaN: true }),
      bias: outputs === 1 ? fc.double({ min: -2, max: 2, noNaN: true }) : fc.constant(0),
    }),
    fc.record({
      kind: fc.constant("isotonic" as const),
      curves: fc.array(curve, { minLength: outputs, maxLength: outputs }),
    }),
  );
}

const cases = fc
  .record({ of: fc.constantFrom(...TASKS), rows: fc.constantFrom(0, 1, 2, 7, 64) })
  .chain(({ of: { task, outputs }, rows }) => {
    const isClass = task.kind !== "regression";
    const value = isClass ? probability : fc.double({ min: -1e6, max: 1e6, noNaN: true });
    return fc.record({
      task: fc.constant(task),
      outputs: fc.constant(outputs),
      rows: fc.constant(rows),
      layer: fc.option(
        fc.record({
          intercepts: fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
            minLength: outputs,
            maxLength: outputs,
          }),
        }),
      ),
      members: fc.array(
        fc.record({
          weight: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
          calibration: isClass ? fc.option(calibrationOf(outputs)) : fc.constant(null),
          values: fc
            .array(value, { minLength: rows * outputs, maxLength: rows * outputs })
            .map((values) => Float64Array.from(values)),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    });
  });

describe("Combiner", () => {
  it("gives the bits of the definitions, row by row", () => {
    fc.assert(
      fc.property(cases, ({ task, outputs, rows, layer, members }) => {
        const combiner = new Combiner(task, layer, rows);
        for (const { weight, calibration, values } of members) {
          combiner.add(weight, calibration, values);
        }
        const expected = combinedSlowly(task, layer, members, rows, outputs);
        expect(bitsOf(combiner.result())).toEqual(bitsOf(expected));
      }),
    );
  });

  it("takes a weight a row", () => {
    const task: Task = { kind: "regression", classes: [] };
    const combiner = new Combiner(task, null, 3);
    combiner.add(Float64Array.of(1, 0.5, 0), null, Float64Array.of(2, 4, 8));
    combiner.add(0.25, null, Float64Array.of(4, 8, 12));
    expect([...combiner.result()]).toEqual([3, 4, 3]);
  });
});

const bitsOf = (values: Float64Array): bigint[] => [
  ...new BigInt64Array(values.slice().buffer, 0, values.length),
];
