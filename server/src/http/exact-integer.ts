/**
 * Integers of a JSON body beyond 2^53, for operations whose meta asks for them: kept as they were
 * written, where `JSON.parse` alone gives the double beside them.
 */

import { z } from "zod";

export class ExactInteger {
  /** Digits, perhaps behind a minus sign. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may be such an integer; most bodies have none and need no second look. */
const LONG_INTEGER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** @throws SyntaxError as `JSON.parse` does */
export function parseExactly(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, kept) : JSON.parse(text);
}

function kept(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const written = context?.source ?? "";
  return INTEGER.test(written) ? new ExactInteger(written) : value;
}

const exactInteger = z.instanceof(ExactInteger).meta({ override: { type: "integer" } });

/** A number of a body that was parsed exactly: an integer beyond 2^53 as a bigint, else a number. */
export const exactNumber = z
  .union([z.number(), exactInteger.transform(({ text }) => BigInt(text))])
  .meta({ override: { type: "number" } });
