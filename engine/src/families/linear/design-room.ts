/** Where the design of a fit lies, and which of the training rows it is of. */

import { Arena } from "../../compute/arena.ts";
import { collectArenas } from "../../compute/garbage.ts";
import { CounterRandom, deriveKey, type RandomKey } from "../../compute/random.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import type { FitContext } from "../family.ts";
import { mostDenseColumns, SINGLE_PRECISION_CELLS } from "./fit-terms.ts";
import type { LinearParameters } from "./parameters.ts";

/** Of a design: of more, some rows stand for all. 700 columns have 380,000 rows then. */
const MOST_BYTES = 2 ** 30;
/** A larger one has an arena of its own: those of many threads would not go beside the data in one of 4 GiB. */
const SHARED_BYTES = 2 ** 26;

/**
 * Runs `action` with room for its design, and the rows that this is to be of.
 *
 * @param most bytes of the design
 */
export function withDesignRoom<T>(
  context: Pick<FitContext, "data" | "task" | "trainRows" | "key">,
  parameters: LinearParameters,
  action: (scratch: Scratch, rows: Uint32Array) => T,
  most = MOST_BYTES,
): T {
  const { data, trainRows, key } = context;
  const cells = mostDenseColumns(context, parameters) * trainRows.length;
  const bytes = cells * (cells > SINGLE_PRECISION_CELLS ? 4 : 8);
  const rows = drawnRows(trainRows, most / bytes, key);
  const isAlone = Math.min(bytes, most) > SHARED_BYTES;
  try {
    const arena = isAlone ? Arena.create() : Arena.attach(data.arena);
    return withScratch(arena, (scratch) => action(scratch, rows));
  } finally {
    if (isAlone) collectArenas();
  }
}

/** @param share of the rows; of 1 and more, all are taken */
function drawnRows(rows: Uint32Array, share: number, key: RandomKey): Uint32Array {
  if (share >= 1) return rows;
  const random = new CounterRandom(deriveKey(key.low, "design-rows", key.high));
  return rows.filter(() => random.nextFloat() < share);
}
