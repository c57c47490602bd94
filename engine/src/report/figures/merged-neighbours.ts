/** Neighbouring lines of numbers that say nearly the same, as one. */

/** A line of cells: the weight and the value of each. */
export interface CellLine {
  readonly weights: readonly number[];
  readonly values: readonly number[];
}

/**
 * Merges the two neighbours whose merging costs least in weighted squares (Ward, "Hierarchical grouping to optimize
 * an objective function", JASA 1963) until at most so many are left.
 *
 * @param lines of equally many cells
 * @returns the places of the lines in each group, ascending
 */
export function mergedNeighbours(lines: readonly CellLine[], most: number): number[][] {
  const groups = lines.map((line, place) => ({ line, places: [place] }));
  while (groups.length > Math.max(1, most)) {
    let least = 0;
    let price = Number.POSITIVE_INFINITY;
    for (let i = 1; i < groups.length; i++) {
      const own = costOf(groups[i - 1].line, groups[i].line);
      if (own < price) {
        price = own;
        least = i - 1;
      }
    }
    const [a, b] = groups.slice(least, least + 2);
    groups.splice(least, 2, { line: joined(a.line, b.line), places: [...a.places, ...b.places] });
  }
  return groups.map(({ places }) => places);
}

function costOf(a: CellLine, b: CellLine): number {
  return a.weights.reduce((sum, weight, i) => {
    const total = weight + b.weights[i];
    if (!(total > 0)) return sum;
    return sum + ((weight * b.weights[i]) / total) * (a.values[i] - b.values[i]) ** 2;
  }, 0);
}

function joined(a: CellLine, b: CellLine): CellLine {
  return {
    weights: a.weights.map((weight, i) => weight + b.weights[i]),
    values: a.values.map((value, i) =>
      weightedMean([value, b.values[i]], [a.weights[i], b.weights[i]]),
    ),
  };
}

/** The plain mean where nothing has weight. */
export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) return values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
}
