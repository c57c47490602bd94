/** The unit of what a person says: an amount's currency, a quantity's measure. */

import { unprocessable } from "../../../platform/input/problem.ts";
import { currencyOf } from "../../../reading/induction/values/currencies.ts";
import { unitSymbol } from "../../../reading/induction/values/units.ts";
import type { Conventions, ValueKind } from "../../../reading/induction/values/value.ts";

interface Unitary {
  /** Of the question. */
  readonly id: string;
  readonly kind: ValueKind;
  readonly isStated: boolean;
}

/**
 * @param written in the value itself, null where nothing is
 * @param given beside the value, null where nothing is
 * @throws UnprocessableError at `unit` where both are and differ, or the kind has no such unit
 */
export function unitOf(
  { id, kind, isStated }: Unitary,
  written: string | null,
  given: string | null,
  conventions: Conventions,
): string | null {
  if (given === null || given.trim() === "") return written;
  if (!isStated) throw refused(`${id} has no unit where the document does not say it`);
  const unit = symbolOf(kind, given.trim(), conventions);
  if (unit === null) throw refused(`${id} has ${UNITS[kind] ?? "no unit"}`);
  if (written !== null && written !== unit) {
    throw refused(`the value of ${id} is in ${written}, and its unit is said to be ${unit}`);
  }
  return unit;
}

/** Words for what a kind's unit may be. */
const UNITS: Readonly<Partial<Record<ValueKind, string>>> = {
  money: "a currency as its unit, such as EUR",
  quantity: "a unit of measure as its unit, such as kg",
  percent: "% as its unit",
};

const ISO_CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

function symbolOf(kind: ValueKind, given: string, { currency }: Conventions): string | null {
  if (kind === "money") {
    const code = given.toUpperCase();
    return currencyOf(given, currency) ?? (ISO_CURRENCIES.has(code) ? code : null);
  }
  if (kind === "quantity") return unitSymbol(given);
  return kind === "percent" && given === "%" ? given : null;
}

const refused = (message: string) =>
  unprocessable(["body", "unit"], message, { type: "answer_unit" });
