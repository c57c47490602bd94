/**
 * A mean of models errs less than they do one by one: at any row, its squared error is their mean
 * squared error less their mean squared distance from it, the ambiguity (Krogh & Vedelsby 1995,
 * "Neural network ensembles, cross validation, and active learning", eq. 6).
 *
 * An out-of-fold residual is that of one fold's models. A row to come is predicted by the mean over
 * all folds, so an interval of such residuals would be wider than its level asks for. It is made
 * narrower by the share that the identity says, which the folds' predictions of the row itself
 * show. Where they differ most, the row is hard rather than the mean good, so the share ends at 15 %.
 */

const MOST_OF_SQUARE = 0.15;

/**
 * What the width is multiplied by, in (0, 1].
 *
 * @param ambiguity mean squared distance of the folds' predictions from their mean
 * @param meanSquare expected squared out-of-fold residual at the row
 */
export function narrowing(ambiguity: number, meanSquare: number): number {
  if (!(ambiguity > 0)) return 1;
  return Math.sqrt(1 - Math.min(ambiguity / meanSquare, MOST_OF_SQUARE));
}
