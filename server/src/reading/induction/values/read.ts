/** Reads a text that a locator points at as a value of one kind. */

import { KINDS } from "./kinds.ts";
import type { Conventions, TypedValue, ValueKind } from "./value.ts";

/**
 * The value that a text holds, where it is about little else: a label and its colon, currency words,
 * stars and a time of day may stand around it. Offsets are of the value alone.
 *
 * @returns null where the text is no value of the kind
 */
export function read(kind: ValueKind, text: string, conventions: Conventions): TypedValue | null {
  return KINDS[kind].read(text, conventions);
}
