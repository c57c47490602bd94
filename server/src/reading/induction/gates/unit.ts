/** Unit: what at least 80 % of the answers that have one are in; else the question names none. */

import type { Answer } from "../extract.ts";
import { counts } from "./mutual-information.ts";

const LEAST_MAJORITY = 0.8;

export interface UnitVote {
  readonly unit: string | null;
  /** Share of the most frequent unit; null where no answer has one. */
  readonly majority: number | null;
}

export function voteUnit(answers: readonly (Answer | null)[]): UnitVote {
  const units = answers.flatMap((answer) =>
    answer === null || answer.unit === null ? [] : [answer.unit],
  );
  const [first] = [...counts(units)].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (first === undefined) return { unit: null, majority: null };
  const majority = first[1] / units.length;
  return { unit: majority >= LEAST_MAJORITY ? first[0] : null, majority };
}
