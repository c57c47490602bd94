/** How rows are split. */

export type { Fold } from "./fold.ts";
export { type FoldRequest, makeFolds } from "./make-folds.ts";
