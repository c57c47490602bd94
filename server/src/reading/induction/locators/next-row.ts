/** Rows of a name and its answer, one below the other: the next one's name answers nothing. */

import type { PlacedLine } from "../../parsing/document-text.ts";
import { isOfTerms } from "../words/label-concepts.ts";
import { labelKey } from "./label-key.ts";
import type { Stretch } from "./layout.ts";

/** Whether what stands below is the next row's name, each row having its answer beside it. */
export function isNextLabel(
  line: PlacedLine,
  spanIndex: number,
  below: Stretch,
  text: string,
): boolean {
  const beside = line.spans[1];
  const isPair = spanIndex === 0 && line.spans.length === 2 && below.line.spans.length === 2;
  if (!isPair || beside === undefined || below.start > 0 || /\p{N}/u.test(text)) return false;
  return isOfTerms(labelKey(text)) && !isOfTerms(labelKey(beside.text));
}
