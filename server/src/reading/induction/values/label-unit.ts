/** The unit that a label gives the values beside it: `Gross mass (kg)`, `Invoice value [EUR]`. */

import { currencyOf } from "./currencies.ts";
import { unitSymbol } from "./units.ts";

export interface LabelUnit {
  readonly unit: string;
  readonly isCurrency: boolean;
}

const LONGEST = 12;
const LAST_IN_BRACKETS = /[([]\s*(?:in\s+)?([^()[\]]+?)\s*[)\]]\s*[:：]?\s*$/u;

/** Null where the label ends in no brackets, or no unit stands in them. */
export function unitOfLabel(label: string): LabelUnit | null {
  const written = LAST_IN_BRACKETS.exec(label)?.[1];
  if (written === undefined || written.length > LONGEST) return null;
  if (written === "%") return { unit: "%", isCurrency: false };
  const measure = unitSymbol(written);
  if (measure !== null) return { unit: measure, isCurrency: false };
  const currency = currencyOf(written, null);
  return currency === null ? null : { unit: currency, isCurrency: true };
}
