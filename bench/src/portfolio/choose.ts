/** Choosing a portfolio from a table of losses: one row a configuration, one column a data set. */

/** Losses beyond this many medians' distances from the best are all equally bad. */
const WORST = 2;

/**
 * Losses as distances from the column's best, in units of the median's distance, at most 2: data
 * sets then weigh the same, and no failure decides alone. A missing loss (NaN) is a failure.
 */
export function normalise(losses: readonly (readonly number[])[]): number[][] {
  const columns = losses[0]?.length ?? 0;
  const result = losses.map((row) => [...row]);
  for (let c = 0; c < columns; c++) {
    const known = losses.map((row) => row[c]).filter(Number.isFinite);
    known.sort((a, b) => a - b);
    const best = known[0];
    const scale = known[known.length >> 1] - best;
    for (const row of result) {
      if (!Number.isFinite(row[c])) row[c] = WORST;
      else
        row[c] = scale > 0 ? Math.min(WORST, (row[c] - best) / scale) : row[c] > best ? WORST : 0;
    }
  }
  return result;
}

/** Mean over columns of the least value among the rows of `chosen`. */
export function portfolioLoss(
  table: readonly (readonly number[])[],
  chosen: readonly number[],
  columns: readonly number[],
): number {
  let sum = 0;
  for (const c of columns) sum += Math.min(...chosen.map((row) => table[row][c]));
  return sum / columns.length;
}

/**
 * How much a row's own mean loss counts beside the mean best loss: a little strength of its own is
 * worth more on unseen data than the last of what complements, part of which is noise.
 */
export const OWN_SHARE = 0.1;

/**
 * Rows added one by one, each the one after which the mean best loss, and a share of the row's own
 * mean loss, are least. Ties go to the earlier row.
 *
 * @param first rows that are chosen from the start
 */
export function chooseGreedily(
  table: readonly (readonly number[])[],
  size: number,
  first: readonly number[] = [],
  columns: readonly number[] = (table[0] ?? []).map((_, c) => c),
): number[] {
  const chosen = [...first];
  const mean = table.map((_, row) => portfolioLoss(table, [row], columns));
  while (chosen.length < Math.min(size, table.length)) {
    let best = -1;
    let bestLoss = Number.POSITIVE_INFINITY;
    for (let row = 0; row < table.length; row++) {
      if (chosen.includes(row)) continue;
      const loss = portfolioLoss(table, [...chosen, row], columns) + OWN_SHARE * mean[row];
      if (loss < bestLoss) {
        best = row;
        bestLoss = loss;
      }
    }
    chosen.push(best);
  }
  return chosen;
}

/**
 * The loss of portfolios of each size on data sets that had no part in choosing them: each column
 * is left out once (leave one data set out).
 *
 * @returns entry k: with k + 1 configurations
 */
export function leaveOneOut(
  table: readonly (readonly number[])[],
  size: number,
  first: readonly number[] = [],
): number[] {
  const columns = (table[0] ?? []).map((_, c) => c);
  const sums = new Array<number>(size).fill(0);
  for (const left of columns) {
    const chosen = chooseGreedily(
      table,
      size,
      first,
      columns.filter((c) => c !== left),
    );
    for (let k = 0; k < size; k++) sums[k] += portfolioLoss(table, chosen.slice(0, k + 1), [left]);
  }
  return sums.map((sum) => sum / columns.length);
}
