/** What a round of boosting takes, roughly: processor seconds of a fit by the defaults. */

/** A cell and output, of many rows. */
export const CELL_SECONDS = 5e-9;
/**
 * Of few rows the bins of nodes are what takes long: seconds a node, column and output, and a cell and output; a node
 * of so many rows, and no more nodes than that.
 */
const NODES = { node: 1e-6, cell: 3e-9, rows: 25, most: 31 };

/** A column and output. */
export function roundSeconds(rows: number): number {
  const nodes = Math.min(NODES.most, rows / NODES.rows);
  return Math.max(CELL_SECONDS * rows, NODES.node * nodes + NODES.cell * rows);
}
