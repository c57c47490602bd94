/** Adds up an ensemble's leaf values over rows of binned data. */

import { Arena } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { withScratch } from "../compute/scratch.ts";
import type { EncodedData } from "../data/encoded.ts";
import { type CompiledTrees, compileTrees } from "./compiled-trees.ts";
import { type TreeSum, treeSummer } from "./device-sums.ts";
import type { TreeEnsemble } from "./ensemble.ts";

/**
 * Sums of the trees' values, in the order of the trees.
 *
 * @param trees as they are, or compiled in the arena of `data` before
 * @param rows rows of `data` in any order, null = all
 * @param base what each output starts from; its length is the number of outputs
 * @param probabilities turn the sums into probabilities (one output: logistic; more: softmax)
 * @param ensemble the trees as they are, which a device takes (`device-sums.ts`); absent: it takes none that
 *   are compiled
 * @returns row-major, rows × outputs
 */
export function predictTrees(
  trees: TreeEnsemble | CompiledTrees,
  data: EncodedData,
  rows: Uint32Array | null,
  base: ArrayLike<number>,
  probabilities = false,
  ensemble = "head" in trees ? null : () => trees,
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
    const kernels = kernelsOf(arena);
    const sum = { owner: trees, binned, rows: rowList, count, base, scores };
    if (ensemble === null || !isSummedOnDevice(arena, trees, { ...sum, trees: ensemble })) {
      const compiled = "head" in trees ? trees : compileTrees(scratch, trees, binned.bins, outputs);
      const working = scratch.allocate(compiled.scratchBytes(outputs));
      const view = arena.f64(scores, count * outputs);
      for (let i = 0; i < view.length; i++) view[i] = base[i % outputs];
      kernels.sweepTrees(
        compiled.head,
        binned.columnMajor,
        binned.columnStride,
        rowList,
        count,
        scores,
        outputs,
        working,
      );
    }
    if (probabilities) kernels.toProbabilities(scores, count, outputs);
    return arena.f64(scores, count * outputs).slice();
  });
}

function isSummedOnDevice(
  arena: Arena,
  trees: TreeEnsemble | CompiledTrees,
  sum: TreeSum,
): boolean {
  const summer = treeSummer();
  if (summer === null) return false;
  const size =
    "head" in trees
      ? { trees: trees.trees, nodes: trees.nodes }
      : { trees: trees.treeOutput.length, nodes: trees.feature.length };
  return summer.takes({ ...size, rows: sum.count }, sum.binned) && summer.add(arena, sum);
}
