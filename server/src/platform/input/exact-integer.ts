/**
 * Integers of a JSON body beyond 2^53, for operations whose meta asks for them: kept as they were
 * written, where `JSON.parse` alone gives the double beside them (`json.ts` finds them).
 */

import { z } from "zod";

export class ExactInteger {
  /** Digits, perhaps behind a minus sign. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A number of a body that was parsed exactly: an integer beyond 2^53 as a bigint, else a number.
 *
 * @param expected what is said where a value is neither
 */
export function exactNumber(expected: string) {
  const integer = z
    .instanceof(ExactInteger, { error: expected })
    .meta({ override: { type: "integer" } });
  return z
    .union([z.number(), integer.transform(({ text }) => BigInt(text))])
    .meta({ override: { type: "number" } });
}
