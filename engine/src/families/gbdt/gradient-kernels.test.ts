/** Gradients of two rows at a time beside a loop over one, bit by bit. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { Arena, type Pointer } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";

const arena = Arena.create();
const kernels = kernelsOf(arena);

const score = fc.oneof(
  fc.double({ min: -30, max: 30, noNaN: true }),
  fc.double({ min: -1e3, max: 1e3, noNaN: true }),
  fc.constantFrom(0, -0, -708, 708, 709, -709, 745, -745, 5e-324, Number.POSITIVE_INFINITY),
);
const weight = fc.constantFrom(0, 0.25, 1, 3);
const CLASSES = 3;

interface Expected {
  /** (gradient, hessian) by row; of rows that are not listed nothing. */
  readonly pairs: ReadonlyMap<number, readonly [number, number]>;
  readonly sums: readonly [number, number];
}

/** @param slopeOf unweighted gradient and hessian of a row */
function expected(
  rows: Uint32Array,
  weights: readonly number[] | null,
  slopeOf: (row: number) => readonly [number, number],
): Expected {
  const pairs = new Map<number, readonly [number, number]>();
  let [slopes, curvatures] = [0, 0];
  for (const row of rows) {
    const [slope, curvature] = slopeOf(row);
    const w = weights?.[row] ?? 1;
    const pair = [Math.fround(slope * w), Math.fround(curvature * w)] as const;
    pairs.set(row, pair);
    slopes += Math.abs(pair[0]);
    curvatures += pair[1];
  }
  return { pairs, sums: [slopes, curvatures] };
}

function check(gradients: Pointer, sums: Pointer, length: number, wanted: Expected): void {
  const found = arena.f32(gradients, 2 * length);
  for (let row = 0; row < length; row++) {
    const pair = wanted.pairs.get(row) ?? [7, 7];
    expect([found[2 * row], found[2 * row + 1]], `row ${row}`).toEqual(pair);
  }
  expect([...arena.f64(sums, 2)]).toEqual(wanted.sums);
}

/** Memory that shows what is written where nothing should be. */
function room(scratch: Scratch, length: number): Pointer {
  const pointer = scratch.allocate(8 * length);
  arena.f32(pointer, 2 * length).fill(7);
  return pointer;
}

const cases = fc.record({
  scores: fc.array(fc.tuple(score, score, score), { minLength: 1, maxLength: 30 }),
  targets: fc.array(fc.integer({ min: 0, max: CLASSES - 1 }), { minLength: 30, maxLength: 30 }),
  weights: fc.option(fc.array(weight, { minLength: 30, maxLength: 30 }), { nil: null }),
  kept: fc.integer({ min: 1, max: 4 }),
});

it("the gradients of a logit are those of one row after another", () => {
  fc.assert(
    fc.property(cases, ({ scores, targets, weights, kept }) =>
      withScratch(arena, (scratch) => {
        const rows = Uint32Array.from(scores.keys()).filter((row) => row % kept === 0);
        const [gradients, sums] = [room(scratch, scores.length), scratch.allocate(16)];
        const wanted = targets.map((target) => target / (CLASSES - 1));
        kernels.logisticGradients(
          scratch.u32(rows),
          rows.length,
          scratch.f64(scores.map(([first]) => first)),
          scratch.f64(wanted),
          weights === null ? 0 : scratch.f64(weights),
          gradients,
          sums,
        );
        const slopes = expected(rows, weights, (row) => {
          const p = 1 / (1 + kernels.exp(-scores[row][0]));
          return [p - wanted[row], p * (1 - p)];
        });
        check(gradients, sums, scores.length, slopes);
      }),
    ),
    { numRuns: 300 },
  );
});

it("the log-loss of a logit is that of one row after another", () => {
  fc.assert(
    fc.property(cases, ({ scores, targets, weights, kept }) =>
      withScratch(arena, (scratch) => {
        const rows = Uint32Array.from(scores.keys()).filter((row) => row % kept === 0);
        const wanted = targets.map((target) => target / (CLASSES - 1));
        const found = kernels.logisticLoss(
          scratch.u32(rows),
          rows.length,
          scratch.f64(scores.map(([first]) => first)),
          scratch.f64(wanted),
          weights === null ? 0 : scratch.f64(weights),
        );
        let sum = 0;
        for (const row of rows) {
          const margin = scores[row][0];
          const above = Math.max(margin, 0) - wanted[row] * margin;
          const tail = kernels.log(1 + kernels.exp(-Math.abs(margin)));
          sum += (above + tail) * (weights?.[row] ?? 1);
        }
        expect(found).toBe(sum);
      }),
    ),
    { numRuns: 300 },
  );
});

it("the gradients of a softmax are those of one row after another", () => {
  const finite = cases.filter(({ scores }) => scores.flat().every(Number.isFinite));
  fc.assert(
    fc.property(finite, fc.nat(CLASSES - 1), ({ scores, targets, weights, kept }, chosen) =>
      withScratch(arena, (scratch) => {
        const count = scores.length;
        const rows = Uint32Array.from(scores.keys()).filter((row) => row % kept === 0);
        const list = scratch.u32(rows);
        const byClass = Array.from({ length: CLASSES }, (_, k) => scores.map((row) => row[k]));
        const margins = scratch.f64(byClass.flat());
        const logSums = scratch.f64(new Array<number>(count).fill(7));
        kernels.logSumExp(list, rows.length, margins, CLASSES, count, logSums);
        for (const row of scores.keys()) {
          const most = Math.max(...scores[row]);
          const sum = scores[row].reduce((all, margin) => all + kernels.exp(margin - most), 0);
          const logSum = rows.includes(row) ? most + kernels.log(sum) : 7;
          expect(arena.f64(logSums, count)[row]).toBe(logSum);
        }
        const shares = scores.flatMap((_, row) => [targets[row] / 4, 0.5, 0.5 - targets[row] / 4]);
        for (const soft of [false, true]) {
          const [gradients, sums] = [room(scratch, count), scratch.allocate(16)];
          const gradientsOf = soft ? kernels.softmaxSoftGradients : kernels.softmaxGradients;
          gradientsOf(
            list,
            rows.length,
            margins + 8 * chosen * count,
            logSums,
            CLASSES,
            chosen,
            scratch.f64(soft ? shares : targets),
            weights === null ? 0 : scratch.f64(weights),
            gradients,
            sums,
          );
          const slopes = expected(rows, weights, (row) => {
            const p = kernels.exp(scores[row][chosen] - arena.f64(logSums, count)[row]);
            const hit = targets[row] === chosen ? 1 : 0;
            const factor = CLASSES / (CLASSES - 1);
            const wanted = soft ? shares[CLASSES * row + chosen] : hit;
            return [p - wanted, Math.max(factor * p * (1 - p), 0)];
          });
          check(gradients, sums, count, slopes);
        }
      }),
    ),
    { numRuns: 200 },
  );
});

it("the probabilities of logits are those of one after another", () => {
  fc.assert(
    fc.property(fc.array(score, { minLength: 1, maxLength: 9 }), (margins) =>
      withScratch(arena, (scratch) => {
        const pointer = scratch.f64(margins);
        kernels.toProbabilities(pointer, margins.length, 1);
        const wanted = margins.map((margin) => 1 / (1 + kernels.exp(-margin)));
        expect([...arena.f64(pointer, margins.length)]).toEqual(wanted);
      }),
    ),
  );
});
