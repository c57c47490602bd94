/**
 * How much two columns of categories tell of each other. Normalised by the mean of the two entropies
 * and adjusted for chance: Vinh, Epps & Bailey, "Information Theoretic Measures for Clusterings
 * Comparison", JMLR 11 (2010). Without the adjustment, columns whose values hardly repeat look alike
 * whatever they hold.
 */

/** In nats, of categories as numbers or texts; 0 for an empty column. */
export function entropy(values: readonly (string | number)[]): number {
  return entropyOfCounts([...counts(values).values()], values.length);
}

/** Entropy as a share of that of as many values spread evenly: 0 constant, 1 even. */
export function evenness(values: readonly (string | number)[]): number {
  const distinct = counts(values).size;
  return distinct < 2 ? 0 : entropy(values) / Math.log(distinct);
}

/**
 * 1 for columns that determine each other, about 0 for unrelated ones (it may fall below).
 *
 * @throws RangeError where the columns differ in length
 */
export function adjustedMutualInformation(
  a: readonly (string | number)[],
  b: readonly (string | number)[],
): number {
  const table = contingency(a, b);
  const { rows, columns, total } = table;
  if (rows.length === columns.length && (rows.length <= 1 || rows.length === total)) return 1;
  const expected = expectedMutualInformation(rows, columns, total);
  const mean = (entropyOfCounts(rows, total) + entropyOfCounts(columns, total)) / 2;
  const denominator = mean - expected;
  // As rounding leaves of a mean that equals what chance gives.
  const guarded =
    denominator < 0
      ? Math.min(denominator, -Number.EPSILON)
      : Math.max(denominator, Number.EPSILON);
  return (mutualInformation(table) - expected) / guarded;
}

interface Contingency {
  readonly cells: readonly { readonly row: number; readonly column: number; readonly n: number }[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly total: number;
}

function contingency(
  a: readonly (string | number)[],
  b: readonly (string | number)[],
): Contingency {
  if (a.length !== b.length) throw new RangeError(`${a.length} values beside ${b.length}`);
  const [rowOf, columnOf] = [ranks(a), ranks(b)];
  const rows = new Array<number>(rowOf.size).fill(0);
  const columns = new Array<number>(columnOf.size).fill(0);
  const cells = new Map<number, number>();
  for (const [index, value] of a.entries()) {
    const [row, column] = [rowOf.get(value)!, columnOf.get(b[index]!)!];
    rows[row]! += 1;
    columns[column]! += 1;
    const cell = row * columnOf.size + column;
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
  }
  const filled = [...cells].map(([cell, n]) => ({
    row: Math.floor(cell / columnOf.size),
    column: cell % columnOf.size,
    n,
  }));
  return { cells: filled, rows, columns, total: a.length };
}

function mutualInformation({ cells, rows, columns, total }: Contingency): number {
  let sum = 0;
  for (const { row, column, n } of cells) {
    sum += (n / total) * Math.log((n * total) / (rows[row]! * columns[column]!));
  }
  return sum;
}

/** Of tables with these margins, drawn at random: equation 24a of the paper. */
function expectedMutualInformation(
  rows: readonly number[],
  columns: readonly number[],
  total: number,
): number {
  const logFactorial = new Float64Array(total + 1);
  for (let n = 1; n <= total; n++) logFactorial[n] = logFactorial[n - 1]! + Math.log(n);
  let sum = 0;
  for (const a of rows) {
    for (const b of columns) {
      const margins =
        logFactorial[a]! +
        logFactorial[b]! +
        logFactorial[total - a]! +
        logFactorial[total - b]! -
        logFactorial[total]!;
      for (let n = Math.max(1, a + b - total); n <= Math.min(a, b); n++) {
        const probability = Math.exp(
          margins -
            logFactorial[n]! -
            logFactorial[a - n]! -
            logFactorial[b - n]! -
            logFactorial[total - a - b + n]!,
        );
        sum += (n / total) * Math.log((total * n) / (a * b)) * probability;
      }
    }
  }
  return sum;
}

function entropyOfCounts(each: readonly number[], total: number): number {
  let sum = 0;
  for (const n of each) if (n > 0) sum -= (n / total) * Math.log(n / total);
  return sum;
}

export function counts<Value>(values: readonly Value[]): Map<Value, number> {
  const found = new Map<Value, number>();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}

function ranks<Value>(values: readonly Value[]): Map<Value, number> {
  const found = new Map<Value, number>();
  for (const value of values) if (!found.has(value)) found.set(value, found.size);
  return found;
}
