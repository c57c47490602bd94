/** What a person may say is an answer, in the one form that answers of its question have. */

import { unprocessable } from "../../../platform/input/problem.ts";
import { labelKey } from "../../../reading/induction/locators/label-key.ts";
import type { Answerer, ExtractionPlan } from "../../../reading/induction/schema.ts";
import { read } from "../../../reading/induction/values/kinds.ts";
import type { Normal, ValueKind } from "../../../reading/induction/values/value.ts";
import { cellOf, sqlTypeOf } from "../extraction/columns.ts";

export type LabelValue = Normal | null;

/** Words for a value that is refused. */
const FORMS: Readonly<Partial<Record<ValueKind, string>>> = {
  date: "a date such as 2031-04-30",
  money: "an amount such as 12.50",
  number: "a number such as 12.5",
  percent: "a number such as 5 for 5 %",
  quantity: "a number such as 12.5",
  boolean: "true or false",
};

/**
 * Texts are read as those of documents are: `30/04/2031` by the sample's habit of writing dates.
 *
 * @throws UnprocessableError at `value`
 */
export function labelValue(
  { target, id }: Answerer,
  conventions: ExtractionPlan["conventions"],
  value: LabelValue,
): LabelValue {
  if (value === null || value === "") return null;
  if (target.multiple) return String(value);
  if (target.enum.length > 0 && typeof value !== "boolean") {
    const named = target.enum.find((each) => labelKey(each) === labelKey(String(value)));
    if (named !== undefined) return named;
    throw refused(`${id} is one of ${target.enum.join(", ")}`);
  }
  const type = sqlTypeOf({ target });
  if (type === "VARCHAR") return String(value);
  const said =
    typeof value !== "string"
      ? value
      : PLAIN[type].test(value)
        ? { DOUBLE: Number, BOOLEAN: (text: string) => text === "true", DATE: String }[type](value)
        : read(target.kind, value, conventions)?.normal;
  const wanted = { DOUBLE: "number", BOOLEAN: "boolean", DATE: "string" }[type];
  // What a column of the rows could not hold would be no answer there.
  if (said === undefined || typeof said !== wanted || cellOf(type, said) === null) {
    throw refused(`${id} is ${FORMS[target.kind] ?? `of the kind ${target.kind}`}`);
  }
  return said;
}

/** What needs no habits to be read: as answers show it. */
const PLAIN = {
  DOUBLE: /^-?\d+(?:\.\d+)?$/,
  BOOLEAN: /^(?:true|false)$/,
  DATE: /^\d{4}-\d\d(?:-\d\d)?$/,
} as const;

const refused = (message: string) =>
  unprocessable(["body", "value"], message, { type: "answer_kind" });
