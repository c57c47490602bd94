/** Pareto dominance among vectors of losses: lower is better in every objective. */

/** One loss an objective. */
export type Losses = readonly number[];

/** Whether `a` is nowhere worse than `b`, and better somewhere. Equal vectors do not dominate. */
export function dominates(a: Losses, b: Losses): boolean {
  let isBetter = false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] > b[i]) return false;
    if (a[i] < b[i]) isBetter = true;
  }
  return isBetter;
}

/** Ascending in the first objective, ties by the next; then by place, so that no order is left open. */
export function lexicographicOrder(points: readonly Losses[]): number[] {
  return Array.from(points.keys()).sort((a, b) => {
    const p = points[a];
    const q = points[b];
    for (let i = 0; i < p.length; i++) if (p[i] !== q[i]) return p[i] - q[i];
    return a - b;
  });
}
