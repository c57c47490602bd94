/**
 * Values → bins.
 *
 * The bin of a number is how many edges lie below it. A table over a uniform grid between the
 * outermost edges bounds that count before a binary search ends it; the grid only narrows the
 * search, so rounding in it cannot change a bin.
 */

import type { FeatureBins } from "../encoded.ts";

const MOST_CELLS = 4096;
/** For fewer values than `MANY_VALUES`: a grid takes longer to make than it saves. */
const LEAST_CELLS = 1024;
const MANY_VALUES = 16_384;
/** Fewer values are found sooner than a grid is made. */
const GRIDDED_VALUES = 512;

/**
 * Writes the bin of each value to `out`.
 *
 * @param values numbers, or category codes as in `FeatureColumns`; NaN goes to the missing bin
 * @param categories how many categories the feature has; ignored for numeric features
 */
export function assignBins(
  values: Float64Array,
  bins: FeatureBins,
  categories: number,
  out: Uint8Array,
): void {
  if (bins.kind === "categorical") assignCategories(values, bins.valueBins, categories, out);
  else assignNumbers(values, bins.edges, bins.valueBins, out);
}

function assignCategories(
  values: Float64Array,
  valueBins: number,
  categories: number,
  out: Uint8Array,
): void {
  const shared = categories > valueBins;
  for (let i = 0; i < values.length; i++) {
    const code = values[i];
    if (code < categories) out[i] = code < valueBins ? code : valueBins - 1;
    // Not of the schema: with the rare ones where they share a bin, else as if missing.
    else out[i] = code >= categories && shared ? valueBins - 1 : valueBins;
  }
}

function assignNumbers(
  values: Float64Array,
  edges: Float64Array,
  missing: number,
  out: Uint8Array,
): void {
  const count = edges.length;
  if (count === 1) {
    const [edge] = edges;
    // No branch: which of two values a row has cannot be foreseen.
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      out[i] = Number.isNaN(value) ? missing : Number(value > edge);
    }
    return;
  }
  const first = count > 0 ? edges[0] : 0;
  const last = count > 0 ? edges[count - 1] : 0;
  const cells = values.length < MANY_VALUES ? LEAST_CELLS : MOST_CELLS;
  const scale = cells / (last - first);
  const gridded =
    values.length >= GRIDDED_VALUES && count > 4 && Number.isFinite(scale) && scale > 0;
  const below = gridded ? edgesBelowCells(edges, first, scale, cells) : null;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!(value > first)) {
      // A feature without edges has one bin for all its values.
      out[i] = Number.isNaN(value) ? missing : 0;
      continue;
    }
    if (count === 0 || value > last) {
      out[i] = count;
      continue;
    }
    let low = 0;
    let high = count;
    if (below !== null) {
      let cell = ((value - first) * scale) | 0;
      if (cell >= cells) cell = cells - 1;
      low = below[cell];
      high = below[cell + 1];
      if (high - low < 2) {
        // An edge of a later cell is not below the value. No branch, since nobody can foresee it.
        out[i] = low + (edges[low] < value ? 1 : 0);
        continue;
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (edges[middle] < value) low = middle + 1;
      else high = middle;
    }
    out[i] = low;
  }
}

/** How many edges fall into cells before each cell of the grid. */
function edgesBelowCells(
  edges: Float64Array,
  first: number,
  scale: number,
  cells: number,
): Uint8Array {
  const below = new Uint8Array(cells + 1);
  for (let i = 0; i < edges.length; i++) {
    const cell = Math.min(cells - 1, ((edges[i] - first) * scale) | 0);
    below[cell + 1]++;
  }
  let sum = 0;
  for (let cell = 1; cell <= cells; cell++) {
    sum += below[cell];
    below[cell] = sum;
  }
  return below;
}
