/**
 * Texts that no database keeps and no text file holds: with a NUL character, or with half of a
 * surrogate pair. They are refused where they come in, whatever operation they were meant for.
 */

import { UnprocessableError } from "./problem.ts";

type Place = readonly (string | number)[];

/** What JSON must write for a text that is refused: quickly found, and rarely there. */
const ESCAPES = /\\u(?:0000|[dD][89a-fA-F])/;

/** Whether JSON may hold a text that `refuseUnstorable` would refuse. */
export const maySayUnstorable = (json: string): boolean => ESCAPES.test(json);

/**
 * Looks through texts, lists and objects with their member names.
 *
 * @param loc where the value stands in the request
 * @throws 422 at the first text that cannot be kept
 */
export function refuseUnstorable(value: unknown, loc: Place): void {
  if (typeof value === "string") {
    const fault = faultOf(value);
    if (fault !== null) throw refusal(loc, fault);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorable(item, [...loc, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const fault = faultOf(name);
      if (fault !== null) throw refusal(loc, `${fault} in a member's name`);
      refuseUnstorable(member, [...loc, name]);
    }
  }
}

function faultOf(text: string): string | null {
  if (text.includes("\0")) return "a NUL character";
  return text.isWellFormed() ? null : "half of a surrogate pair";
}

// Without `input`: the text could not be shown as it is.
const refusal = (loc: Place, fault: string): UnprocessableError =>
  new UnprocessableError([
    { loc, msg: `Value error, texts cannot hold ${fault}`, type: "value_error" },
  ]);
