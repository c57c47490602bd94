/**
 * The simplex lattice of weights: every vector of `objectives` non-negative multiples of
 * 1/`divisions` that sums to 1. C(divisions + objectives − 1, objectives − 1) of them.
 *
 * Source: Das, Dennis, "Normal-boundary intersection", SIAM J. Optim. 8 (1998), §3.
 */

/** The lattice's divisions for a grid size: a whole number as it is; a fraction is their step. */
export function divisionsOf(gridSize: number): number {
  if (Number.isInteger(gridSize) && gridSize >= 1) return gridSize;
  if (gridSize > 0 && gridSize < 1) {
    // A step that does not divide 1 is made smaller; one that does may be off in its last bits.
    return Math.ceil(1 / gridSize - 1e-9);
  }
  throw new RangeError(
    `A grid size is a whole number of divisions of at least 1, or a step above 0 and up to 1; ${gridSize} is neither.`,
  );
}

/** The number of weights in the lattice. */
export function latticeSize(objectives: number, divisions: number): number {
  let size = 1;
  for (let i = 1; i < objectives; i++) size = (size * (divisions + i)) / i;
  return Math.round(size);
}

/** From all weight on the first objective to all on the last. */
export function simplexLattice(objectives: number, divisions: number): number[][] {
  const lattice: number[][] = [];
  const parts: number[] = [];
  const fill = (left: number): void => {
    if (parts.length === objectives - 1) {
      lattice.push([...parts, left].map((part) => part / divisions));
      return;
    }
    for (let part = left; part >= 0; part--) {
      parts.push(part);
      fill(left - part);
      parts.pop();
    }
  };
  fill(divisions);
  return lattice;
}
