/** From a model's probabilities to the class it says. */

/**
 * With one output the second class from the threshold on; else the most probable class, the last of
 * equals.
 *
 * @param probabilities row-major, rows × outputs (see `outputCount`)
 * @param threshold of two classes; not read with more
 * @returns the index of the class, one a row
 */
export function decide(
  probabilities: Float64Array,
  outputs: number,
  threshold: number | null,
): Uint32Array {
  const rows = probabilities.length / outputs;
  if (outputs === 1) {
    return Uint32Array.from(probabilities, (p) => (p >= (threshold ?? 0.5) ? 1 : 0));
  }
  const labels = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * outputs;
    for (let k = 1; k < outputs; k++) {
      if (probabilities[from + k] >= probabilities[from + labels[row]]) labels[row] = k;
    }
  }
  return labels;
}
