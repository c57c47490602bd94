/**
 * What a device makes of all rows of a round, number by number, beside the CPU's kernels: gradients, their sums by
 * blocks, whole units, scores with leaves' values, the bag. On SwiftShader; `DISTILLERY_GPU_TESTS=full` takes more.
 */

import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { Crew } from "../../compute/crew.ts";
import {
  ADD_LEAVES,
  BEGIN_BOOSTING,
  DRAWN_BYTES,
  GRADIENTS,
  LEAF_SUMS,
  LOSSES,
  leafSumBytes,
} from "../../compute/gpu/boosting-requests.ts";
import type { Session } from "../../compute/gpu/program.ts";
import { number } from "../../compute/gpu/testing/f64-numbers.ts";
import { sharedDevice } from "../../compute/gpu/testing/shared-device.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { treeProgram } from "../../compute/gpu/tree-program.ts";
import {
  ALL_HELD,
  BEGIN_FIT,
  BEGIN_TREE,
  NODE_HISTOGRAM,
} from "../../compute/gpu/tree-requests.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { deriveKey } from "../../compute/random.ts";
import { Scratch } from "../../compute/scratch.ts";
import { BLOCK_ROWS, GRADIENT_SPREAD } from "../../kernels/assembly/crew/crew-layout.ts";
import type { Task } from "../../tasks/index.ts";
import { objectiveOf } from "./objective.ts";
import { scalesOf } from "./quantisation.ts";
import { type RowList, RowWork } from "./row-work.ts";
import { BINCLASS, MULTICLASS, REGRESSION } from "./testing/fit.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const device = sharedDevice();

interface Given {
  readonly task: Task;
  readonly soft: boolean;
  readonly weighted: boolean;
  readonly spread: boolean;
  readonly seed: number;
  readonly rows: number;
}

/** Of the data; every third is not learned from. */
const learned = (rows: number): Uint32Array =>
  Uint32Array.from({ length: rows }, (_, row) => row).filter((row) => row % 3 !== 1);

async function compare(given: Given): Promise<void> {
  const arena = Arena.create(2 ** 27);
  const on = await device();
  const session = treeProgram.open({
    device: on,
    bytes: () => arena.memory.buffer,
    resident: (_, bytes) => on.buffer(bytes),
  });
  try {
    // Nothing of it is released before all is compared: the arena goes as a whole.
    await compareIn(given, new Scratch(arena), session);
  } finally {
    session.close();
  }
}

async function compareIn(given: Given, scratch: Scratch, session: Session): Promise<void> {
  const { task, soft, weighted, spread, rows, seed } = given;
  // What scores and, within their bounds, targets and weights are dealt from.
  const usual = fc.double({ min: -40, max: 40, noNaN: true });
  const numbers = fc.sample(fc.oneof(number, usual), { numRuns: 900, seed });
  const { arena } = scratch;
  const kernels = kernelsOf(arena);
  const objective = objectiveOf(task, kernels, soft);
  const { outputs } = objective;
  const dealt = (i: number, most: number): number => {
    const value = numbers[(i * 7919) % numbers.length]!;
    return Math.abs(value) < most ? value : most / (1 + Math.abs(value));
  };
  const share = (i: number): number => Math.min(1, Math.abs(dealt(i, 2)));
  const classes = task.classes.length;
  const targets = Float64Array.from({ length: soft ? rows * outputs : rows }, (_, i) =>
    classes === 0 ? dealt(i + 5, 1e14) : soft ? share(i) : i % classes,
  );
  const scores = Float64Array.from({ length: rows * outputs }, (_, i) =>
    i % 5 === 0 ? dealt(i, 1e14) : dealt(i, 900),
  );
  const weights = Float64Array.from({ length: rows }, (_, i) =>
    i % 11 === 0 ? 0 : Math.abs(dealt(i + 3, 1e14)),
  );
  const state = {
    ...{ rows, outputs, scores: scratch.f64(scores), targets: scratch.f64(targets) },
    weights: weighted ? scratch.f64(weights) : 0,
    gradients: scratch.allocate(8 * rows),
    packed: scratch.allocate(8 * rows),
    logSums: scratch.allocate(8 * rows),
  };
  const listed = learned(rows);
  const list: RowList = { pointer: scratch.u32(listed), count: listed.length };
  const crew = new Crew(scratch, 0, null);
  const work = new RowWork(scratch, crew, state, rows);
  const answer = new Uint8Array(new SharedArrayBuffer(2 ** 22));
  const ask = (request: number, ...values: number[]): Promise<void> =>
    session.answer(request, Uint32Array.from(values), answer);
  // One feature of 16 bins, and its list, offsets and bins.
  const bins = scratch.u8(Uint8Array.from({ length: 16 * rows }, (_, i) => (i >> 4) % 17));
  const shape = [scratch.u32([0]), scratch.u32([0])];
  await ask(BEGIN_FIT, bins, 16, rows, list.count, 0, 0, 0);
  await ask(
    ...([BEGIN_BOOSTING, state.targets, targets.length, state.weights, list.pointer] as const),
    ...[list.count, state.scores, outputs, LOSSES.indexOf(objective.held!), outputs],
    ...[list.pointer, list.count, 4],
  );
  const key = deriveKey(seed, "held-gradients");
  const threshold = 40_000;
  objective.beginRound(work, list);
  const blocks = Math.ceil(list.count / BLOCK_ROWS);
  const compareRows = (at: number, output: number, parts: number): void => {
    const found = new Uint32Array(answer.buffer, at, 6 * list.count);
    const views = [state.scores + 8 * output * rows, state.gradients, state.packed].map((part) =>
      arena.u32(part, 2 * rows),
    );
    listed.forEach((row, i) => {
      for (let word = 0; word < 2 * parts; word++) {
        const expected = views[word >> 1]![2 * row + (word & 1)];
        if (found[6 * i + word] !== expected) {
          expect.fail(`row ${row}, word ${word}: ${found[6 * i + word]} and not ${expected}`);
        }
      }
    });
  };
  for (let output = 0; output < outputs; output++) {
    const flags = [spread ? 1 : 0, 77 + output, output === 0 ? 1 : 0];
    await ask(GRADIENTS, output, ...flags, threshold, key.low, key.high);
    const sums = objective.gradients(work, list, output);
    const [bag, rest] = [scratch.allocate(4 * rows), scratch.allocate(4 * rows)];
    const drawn = work.drawBag(list, threshold, key, bag, rest);
    expect([...new Uint32Array(answer.buffer, 0, 2)]).toEqual([drawn, 77]);
    const numbersOf = new Float64Array(answer.buffer, DRAWN_BYTES, 4 * blocks);
    const total = (which: number): number => {
      let sum = 0;
      for (let block = 0; block < blocks; block++) sum += numbersOf[4 * block + which]!;
      return sum;
    };
    expect([total(0), total(1)]).toEqual([sums.gradient, sums.hessian]);
    if (spread) expect(total(2)).toBe(work.gradients(GRADIENT_SPREAD, list, 0).gradient);
    compareRows(DRAWN_BYTES + 32 * blocks, output, 2);

    const scales = scalesOf(sums.gradient, sums.hessian, list.count);
    const { fine } = scales;
    const units = [scales.gradient, scales.hessian, fine.gradient, fine.hessian];
    const scaled = scratch.f64(units);
    await ask(
      BEGIN_TREE,
      scaled,
      0,
      list.count,
      0,
      ...shape,
      1,
      17,
      output === 0 ? 1 : 0,
      ALL_HELD,
    );
    await ask(NODE_HISTOGRAM, 0, list.count);
    work.quantise(list, scales);

    // Bins up to 4 and the missing ones go left; of the others those of a set.
    const set = Uint32Array.of(0b1010101000000, 0, 0, 0, 0, 0, 0, 0);
    const records = scratch.u32(
      [
        [0, 4 | (16 << 16), 1, 2],
        [0, 0, 1, 1],
        [0x80000000, 0, 3, 4],
        [0, 1, 3, 3],
        [0, 2, 4, 4],
      ].flat(),
    );
    await ask(LEAF_SUMS, records, 5, scratch.u32(set), 8, 3, scaled + 16, output, 1);
    const leafOf = (row: number): number => {
      const bin = row % 17;
      return bin <= 4 || bin === 16 ? 0 : ((set[0]! >>> bin) & 1) === 1 ? 1 : 2;
    };
    const expected = Array.from({ length: 3 }, () => [0n, 0n, 0n]);
    const pairs = arena.f32(state.gradients, 2 * rows);
    for (const row of arena.u32(bag, drawn)) {
      const own = expected[leafOf(row)]!;
      own[0]! += 1n;
      for (const [k, scale] of [fine.gradient, fine.hessian].entries()) {
        own[1 + k]! += BigInt(roundEven(pairs[2 * row + k]! * scale));
      }
    }
    const leaves = new Uint32Array(answer.buffer, 0, 15);
    const found = expected.map((_, leaf) => {
      const [count, ...words] = leaves.subarray(5 * leaf, 5 * leaf + 5);
      const sum = (at: number): bigint =>
        BigInt.asIntN(64, BigInt(words[at]!) | (BigInt(words[at + 1]!) << 32n));
      return [BigInt(count!), sum(0), sum(2)];
    });
    expect(found).toEqual(expected);
    compareRows(leafSumBytes(3), output, 3);

    const values = Float64Array.of(0.1, -3e-9, 12.75);
    await ask(ADD_LEAVES, scratch.f64(values), 3, output);
    const all = arena.f64(state.scores + 8 * output * rows, rows);
    for (const row of listed) all[row]! += values[leafOf(row)]!;
  }
  // The scores that came of it.
  objective.beginRound(work, list);
  await ask(GRADIENTS, outputs - 1, 0, 99, 1, 0, 0, 0);
  objective.gradients(work, list, outputs - 1);
  compareRows(DRAWN_BYTES + 32 * blocks, outputs - 1, 2);
}

/** To the nearest whole number, of two the even one. */
function roundEven(x: number): number {
  return x + 6755399441055744 - 6755399441055744;
}

describe.skipIf(why !== null)(`rows that a device holds (${why ?? "SwiftShader"})`, () => {
  const cases: readonly (readonly [string, Task, boolean])[] = [
    ["squared error", REGRESSION, false],
    ["a logit", BINCLASS, false],
    ["a logit of labels by degrees", BINCLASS, true],
    ["a softmax", MULTICLASS, false],
    ["a softmax of labels by degrees", MULTICLASS, true],
  ];

  it.each(cases)("have the kernels' numbers, of %s", async (_, task, soft) => {
    const random = fc.record({
      seed: fc.nat(1000),
      weighted: fc.boolean(),
      spread: fc.boolean(),
      rows: isFull ? fc.integer({ min: 1, max: 60_000 }) : fc.constantFrom(40, 2500, 13_000),
    });
    await fc.assert(
      fc.asyncProperty(random, (given) => compare({ ...given, task, soft })),
      { numRuns: isFull ? 30 : 2, seed: 4, endOnFailure: true },
    );
  });
});
