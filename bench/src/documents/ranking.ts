/**
 * How well confidence ranks answers: the chance that a right answer is surer than a wrong one, equals
 * counted half (the area under the ROC curve, by the rank sum of Mann and Whitney, 1947).
 */

export interface Judged {
  readonly confidence: number;
  readonly isRight: boolean;
}

/** Null where all are right, or none is. */
export function areaUnderCurve(answers: readonly Judged[]): number | null {
  const right = answers.filter(({ isRight }) => isRight).length;
  const wrong = answers.length - right;
  if (right === 0 || wrong === 0) return null;
  const sorted = [...answers].sort((a, b) => a.confidence - b.confidence);
  let ranks = 0;
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (sorted[to]?.confidence === sorted[from]!.confidence) to += 1;
    const middle = (from + 1 + to) / 2;
    ranks += middle * sorted.slice(from, to).filter(({ isRight }) => isRight).length;
    from = to;
  }
  return (ranks - (right * (right + 1)) / 2) / (right * wrong);
}
