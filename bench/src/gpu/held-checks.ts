/** Rounds of boosting whose rows stay on a GPU beside the CPU's: gradients with their sums, and leaves' sums, of a logit. */

import { Arena } from "../../../engine/src/compute/arena.ts";
import { Crew } from "../../../engine/src/compute/crew.ts";
import {
  BEGIN_BOOSTING,
  DRAWN_BYTES,
  GRADIENTS,
  LEAF_SUMS,
  LOSSES,
} from "../../../engine/src/compute/gpu/boosting-requests.ts";
import { kernelData } from "../../../engine/src/compute/gpu/crossover.ts";
import type { Device } from "../../../engine/src/compute/gpu/device.ts";
import { treeProgram } from "../../../engine/src/compute/gpu/tree-program.ts";
import { BEGIN_FIT } from "../../../engine/src/compute/gpu/tree-requests.ts";
import { kernelsOf } from "../../../engine/src/compute/kernels.ts";
import { Scratch } from "../../../engine/src/compute/scratch.ts";
import { objectiveOf } from "../../../engine/src/families/gbdt/objective.ts";
import { RowWork } from "../../../engine/src/families/gbdt/row-work.ts";
import { BLOCK_ROWS } from "../../../engine/src/kernels/assembly/crew/crew-layout.ts";
import { least } from "./least-seconds.ts";

const FEATURES = 32;
/** Words of a block's sums and of a leaf's, as the shaders write them. */
const BLOCK_WORDS = 8;
const LEAF_WORDS = 5;
const CHECKED = 16;

interface HeldCheck {
  readonly name: string;
  readonly equal: boolean;
  readonly cpu_s: number;
  readonly gpu_s: number;
}

export async function checkHeldRows(
  device: Device,
  rows: number,
  repeats: number,
): Promise<HeldCheck[]> {
  const arena = Arena.create();
  const data = kernelData(arena, rows);
  // Nothing is released before the end: the arena goes as a whole.
  const scratch = new Scratch(arena);
  const session = treeProgram.open({
    device,
    bytes: () => arena.memory.buffer,
    resident: (_, bytes) => device.buffer(bytes),
  });
  try {
    const numbers = (of: (row: number) => number): number => {
      const pointer = scratch.allocate(8 * rows);
      const view = arena.f64(pointer, rows);
      for (let row = 0; row < rows; row++) view[row] = of(row);
      return pointer;
    };
    const state = {
      ...{ rows, outputs: 1, weights: 0, logSums: 0 },
      scores: numbers((row) => 3 * Math.sin(row)),
      targets: numbers((row) => row & 1),
      gradients: scratch.allocate(8 * rows),
      packed: scratch.allocate(8 * rows),
    };
    const list = { pointer: data.rows, count: rows };
    const objective = objectiveOf({ kind: "binclass", classes: ["no", "yes"] }, kernelsOf(arena));
    const work = new RowWork(scratch, new Crew(scratch, 0, null), state, rows);
    const blocks = Math.ceil(rows / BLOCK_ROWS);
    const answer = new Uint8Array(
      new SharedArrayBuffer(DRAWN_BYTES + 4 * BLOCK_WORDS * blocks + 24 * CHECKED + 1024),
    );
    const ask = (request: number, ...values: number[]): Promise<void> =>
      session.answer(request, Uint32Array.from(values), answer);
    await ask(BEGIN_FIT, data.bins, FEATURES, rows, rows, 0, 0, 0);
    await ask(
      ...([BEGIN_BOOSTING, state.targets, rows, 0, list.pointer, rows, state.scores] as const),
      ...[1, LOSSES.indexOf("logistic"), 1, list.pointer, CHECKED, 2],
    );

    const gpu = await least(repeats, () => ask(GRADIENTS, 0, 0, 1, 1, 0, 0, 0));
    let expected = { gradient: 0, hessian: 0 };
    const cpu = await least(repeats, () => {
      expected = objective.gradients(work, list, 0);
    });
    const found = new Float64Array(answer.buffer, DRAWN_BYTES, (BLOCK_WORDS / 2) * blocks);
    let [gradient, hessian] = [0, 0];
    for (let block = 0; block < blocks; block++) {
      gradient += found[(BLOCK_WORDS / 2) * block]!;
      hessian += found[(BLOCK_WORDS / 2) * block + 1]!;
    }
    const equal = gradient === expected.gradient && hessian === expected.hessian;

    // Bins below 96 of feature 5 go left.
    const records = scratch.u32([5, 95 | (0xffff << 16), 1, 2, 0, 0, 1, 1, 0, 1, 2, 2]);
    const scale = 2 ** 20;
    const scales = scratch.f64([scale, scale]);
    const leaves = await least(repeats, () => ask(LEAF_SUMS, records, 3, 0, 0, 2, scales, 0, 0));
    let sums = new BigInt64Array();
    const own = await least(1, () => {
      sums = leafSumsOf(arena, data.bins, state.gradients, rows, scale);
    });
    const words = new Uint32Array(answer.buffer, 0, 2 * LEAF_WORDS);
    const isSame = [0, 1].every((leaf) => {
      const [count, ...pairs] = words.subarray(LEAF_WORDS * leaf, LEAF_WORDS * (leaf + 1));
      const at = 3 * leaf;
      return (
        BigInt(count!) === sums[at] &&
        signed(pairs[0]!, pairs[1]!) === sums[at + 1] &&
        signed(pairs[2]!, pairs[3]!) === sums[at + 2]
      );
    });
    return [
      { name: "gradients of a logit, and their sums", equal, cpu_s: cpu, gpu_s: gpu },
      {
        name: "sums of leaves (CPU: a loop in JavaScript)",
        equal: isSame,
        cpu_s: own,
        gpu_s: leaves,
      },
    ];
  } finally {
    session.close();
  }
}

const signed = (low: number, high: number): bigint =>
  BigInt.asIntN(64, BigInt(low) | (BigInt(high) << 32n));

/** Rows, gradients and hessians in whole units, of those that go left and of the others. */
function leafSumsOf(
  arena: Arena,
  bins: number,
  gradients: number,
  rows: number,
  scale: number,
): BigInt64Array<ArrayBuffer> {
  const cells = arena.u8(bins, rows * FEATURES);
  const pairs = arena.f32(gradients, 2 * rows);
  // Whole numbers within 2⁵³: as many rows of gradients below 1.
  const sums = [0, 0, 0, 0, 0, 0];
  const round = (x: number): number => x + 6755399441055744 - 6755399441055744;
  for (let row = 0; row < rows; row++) {
    const at = cells[row * FEATURES + 5]! < 96 ? 0 : 3;
    sums[at]! += 1;
    sums[at + 1]! += round(pairs[2 * row]! * scale);
    sums[at + 2]! += round(pairs[2 * row + 1]! * scale);
  }
  return BigInt64Array.from(sums, BigInt);
}
