/**
 * All typed values of a text. Two kinds may claim the same words: 25/12/2018 is a date and no
 * number, IBANs are no phones. Kinds are asked from the strictest to the loosest, and what one has
 * taken is not given to the next. A kind that was not asked for still keeps its own from the others.
 */

import { withAsciiDigits } from "./digits.ts";
import { findChecked } from "./identifier.ts";
import type { Find } from "./kind.ts";
import { Intervals } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import { findBareMoney, findMoney } from "./money.ts";
import { type Conventions, type TypedValue, VALUE_KINDS, type ValueKind } from "./value.ts";

interface Claim {
  readonly kind: ValueKind;
  readonly find: Find;
  /** Values under it are left to later claims unless the kind was asked for. */
  readonly holds: number;
}

/** Written with digits: strictest first. */
const IN_DIGITS: readonly Claim[] = [
  { kind: "identifier", find: findChecked, holds: 0.9 },
  { kind: "email", find: KINDS.email.find, holds: 0 },
  { kind: "url", find: KINDS.url.find, holds: 0.9 },
  { kind: "date", find: KINDS.date.find, holds: 0.6 },
  { kind: "money", find: findMoney, holds: 0 },
  { kind: "percent", find: KINDS.percent.find, holds: 0 },
  { kind: "phone", find: KINDS.phone.find, holds: 0.8 },
  { kind: "identifier", find: KINDS.identifier.find, holds: 0.55 },
  { kind: "duration", find: KINDS.duration.find, holds: 0.8 },
  { kind: "quantity", find: KINDS.quantity.find, holds: 0.7 },
  { kind: "money", find: findBareMoney, holds: 1 },
  { kind: "number", find: KINDS.number.find, holds: 0 },
];

/** Names and words; of these, the surest go before the order of their kinds. */
const IN_WORDS: readonly ValueKind[] = ["address", "organization", "person", "place", "boolean"];
const SUREST = 0.88;
/** What is less certain is more often something else. */
const LEAST = 0.25;

/** Which claims may stand in the way of a kind: those before it among the digits. */
function claimsBefore(asked: ReadonlySet<ValueKind>): readonly Claim[] {
  const last = IN_DIGITS.findLastIndex(({ kind }) => asked.has(kind));
  return IN_DIGITS.slice(0, last + 1);
}

/**
 * The typed values of a text in its order; those of one kind do not overlap. Linear in the text.
 * Never `text`: everything is.
 *
 * @param kinds those asked for; all where absent. Asked for by name, `money` also gives numbers with
 *   two decimals and no currency, which otherwise are money only where the documents have a currency
 */
export function recognise(
  text: string,
  conventions: Conventions,
  kinds: readonly ValueKind[] = VALUE_KINDS,
): TypedValue[] {
  const asked = new Set(kinds);
  const isAnyMoneyAsked = kinds !== VALUE_KINDS && asked.has("money");
  const found: TypedValue[] = [];
  const taken = new Intervals();
  const inDigits = withAsciiDigits(text);
  for (const { kind, find, holds } of claimsBefore(asked)) {
    if (find === findBareMoney && !isAnyMoneyAsked && conventions.currency === null) continue;
    const isAsked = asked.has(kind);
    for (const value of find(inDigits, conventions)) {
      if (value.certainty < (isAsked ? LEAST : holds)) continue;
      if (taken.add(value.start, value.end) && isAsked) found.push(value);
    }
  }
  const words = new Intervals();
  const named = IN_WORDS.filter((kind) => asked.has(kind)).flatMap((kind) =>
    KINDS[kind].find(text, conventions),
  );
  for (const isSurest of [true, false]) {
    for (const value of named) {
      if (value.certainty >= SUREST !== isSurest) continue;
      if (words.add(value.start, value.end)) found.push(value);
    }
  }
  return found.sort(
    (a, b) =>
      a.start - b.start ||
      b.end - a.end ||
      VALUE_KINDS.indexOf(a.kind) - VALUE_KINDS.indexOf(b.kind),
  );
}
