/**
 * The weighted sum of predictions. A weight of 0 takes no part, even where its predictions are not
 * finite.
 *
 * @param predictions one row-major rows × outputs array a model, all of one length
 * @param weights one a model; they sum to 1 for an average
 */
export function blend(
  predictions: readonly Float64Array[],
  weights: readonly number[],
): Float64Array {
  if (predictions.length === 0 || predictions.length !== weights.length) {
    throw new RangeError(
      `A blend needs one weight for each model, and at least one: ${predictions.length} predictions, ${weights.length} weights.`,
    );
  }
  const blended = new Float64Array(predictions[0].length);
  predictions.forEach((prediction, member) => {
    const weight = weights[member];
    if (prediction.length !== blended.length) {
      throw new RangeError(
        `Predictions of different lengths cannot be blended: ${blended.length} and ${prediction.length}.`,
      );
    }
    if (weight === 0) return;
    for (let i = 0; i < blended.length; i++) blended[i] += weight * prediction[i];
  });
  return blended;
}
