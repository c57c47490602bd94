/** Rows of a name and its answer, one below the other: the next one's name answers nothing. */

import type { PlacedLine } from "../../parsing/document-text.ts";
import { isOfTerms } from "../words/label-concepts.ts";
import { labelKey } from "./label-key.ts";
import { type Stretch, spanIndexAt } from "./layout.ts";

/** Whether what stands below is the next row's name, each row having its answer beside it. */
export function isNextLabel(
  line: PlacedLine,
  spanIndex: number,
  below: Stretch,
  text: string,
): boolean {
  const beside = line.spans[spanIndex + 1];
  const place = spanIndexAt(below.line, below.start);
  // In forms of two columns names and answers are in turn.
  const arePairs = [line, below.line].every(({ spans }) => spans.length % 2 === 0);
  if (!arePairs || spanIndex % 2 > 0 || place !== spanIndex) return false;
  if (beside === undefined || /\p{N}/u.test(text)) return false;
  return isOfTerms(labelKey(text)) && !isOfTerms(labelKey(beside.text));
}
