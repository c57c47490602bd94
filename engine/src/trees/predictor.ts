/** Adds up an ensemble's leaf values over rows of binned data. */

import { Arena } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import type { EncodedData } from "../data/encoded.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { withScratch } from "./scratch.ts";

/**
 * Sums of the trees' values, in the order of the trees.
 *
 * @param rows rows of `data` in any order, null = all
 * @param base what each output starts from; its length is the number of outputs
 * @param probabilities turn the sums into probabilities (one output: logistic; more: softmax)
 * @returns row-major, rows × outputs
 */
export function predictTrees(
  ensemble: TreeEnsemble,
  data: EncodedData,
  rows: Uint32Array | null,
  base: ArrayLike<number>,
  probabilities = false,
): Float64Array {
  const binned = data.binned;
  if (binned === null) throw new Error("Trees read bins, and this data was encoded without them.");
  const arena = Arena.attach(data.arena);
  const outputs = base.length;
  const count = rows === null ? data.rows : rows.length;
  if (count === 0) return new Float64Array(0);
  return withScratch(arena, (scratch) => {
    const scores = scratch.allocate(count * outputs * 8);
    const rowList = rows === null ? 0 : scratch.u32(rows);
    const nodes = ensemble.feature.length;
    const starts = scratch.i32(ensemble.treeStarts);
    const output = scratch.i32(ensemble.treeOutput);
    const sets = scratch.u32(ensemble.categorySets);
    const values = scratch.f64(ensemble.value);
    const records = scratch.allocate(nodes * 16);
    const view = arena.f64(scores, count * outputs);
    for (let i = 0; i < view.length; i++) view[i] = base[i % outputs];
    const kernels = kernelsOf(arena);
    withScratch(arena, (arrays) => {
      kernels.packNodes(
        nodes,
        arrays.i32(ensemble.feature),
        arrays.i32(ensemble.splitBin),
        arrays.u8(ensemble.isCategorical),
        arrays.u8(ensemble.missingLeft),
        arrays.i32(ensemble.left),
        arrays.i32(ensemble.right),
        arrays.i32(binned.bins.map((bins) => bins.valueBins)),
        records,
      );
    });
    kernels.addTrees(
      binned.rowMajor,
      binned.rowStride,
      rowList,
      count,
      ensemble.treeOutput.length,
      starts,
      output,
      records,
      sets,
      values,
      ensemble.valuesPerNode,
      scores,
      outputs,
      1,
      0,
    );
    if (probabilities) kernels.toProbabilities(scores, count, outputs);
    return view.slice();
  });
}
