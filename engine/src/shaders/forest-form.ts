/** What the shader that grows forests, and those who speak to it, agree on: forms, heads of trees, records of nodes. */

/** u32 of the uniform. */
export const FOREST_SHAPE_WORDS = 16;
/** u32 of a tree's head, and of a node; see below. */
export const TREE_HEAD_WORDS = 16;
export const FOREST_NODE_WORDS = 20;
/** Of a tree's head. */
export const HEAD_STATUS = 0;
export const HEAD_NODES = 1;
export const HEAD_LEAVES = 2;
export const HEAD_SETS = 6;
export const HEAD_ROWS = 7;
export const HEAD_KEY = 8;
export const HEAD_STAMP = 10;
/** Of a node. */
export const NODE_MISSING_LEFT = 5;
/** States of a tree. */
export const TREE_NEW = 0;
export const TREE_DONE = 2;

/** What a forest's trees have of each row. */
export interface ForestForm {
  /** Sums of a bin: weight and product, or a weight a class, rounded up to an even number. */
  readonly width: number;
  readonly hasClasses: boolean;
  /** Of a workgroup, a power of two up to 256: few where a device makes them of one thread. Of no matter for sums. */
  readonly threads: number;
}

/** Sums of more columns lie in the device's own memory. */
const MOST_LOCAL_COLUMNS = 4;

export function hasLocalSums({ width }: Pick<ForestForm, "width">): boolean {
  return width <= MOST_LOCAL_COLUMNS;
}

/** u32 of a tree's sums: 256 bins and the whole node. */
export function sumWords({ width }: Pick<ForestForm, "width">): number {
  return 257 * width * 2;
}
