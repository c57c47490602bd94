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

const exactInteger = z.instanceof(ExactInteger).meta({ override: { type: "integer" } });

/** A number of a body that was parsed exactly: an integer beyond 2^53 as a bigint, else a number. */
export const exactNumber = z
  .union([z.number(), exactInteger.transform(({ text }) => BigInt(text))])
  .meta({ override: { type: "number" } });
