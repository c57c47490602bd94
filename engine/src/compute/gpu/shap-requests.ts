/** What is said of explaining rows by trees: requests, with their values. See `shap-program.ts`. */

/** [bins by rows, bytes of a row, rows, cells of a row's contributions, category sets, their u32] */
export const BEGIN_SHAP = 24;
/**
 * [steps, their number, tables, their bytes, leaf values (f64), their bytes, values a leaf, output of the first,
 * outputs, points, levels, first of the rows, rows]
 */
export const SHAP_TREE = 25;
/** [stamp] → SHAP_HEAD bytes: threads that were done, stamp; then f64, rows × cells. */
export const READ_SHAP = 26;
export const SHAP_REQUESTS_END = 28;

export const SHAP_HEAD = 16;

/** u32 of a step: node, flags and the levels of the node and of the edge before of its feature, split, leaf, feature. */
export const STEP_WORDS = 8;
/** The flags. */
export const STEP_SIDE = 1;
export const STEP_LEAVES = 2;
export const STEP_IS_LEAF = 4;

/** Numbers that a thread keeps for each level of its path: products and sums a point, and what its row does there. */
export const numbersOfLevel = (points: number): number => 2 * points + 1;
