/** What a person may say is an answer, in the one form that answers of its question have. */

import { unprocessable } from "../../../platform/input/problem.ts";
import { labelKey } from "../../../reading/induction/locators/label-key.ts";
import { areOfColumn } from "../../../reading/induction/locators/locator.ts";
import type { Answerer, ExtractionPlan } from "../../../reading/induction/schema.ts";
import { isWhole } from "../../../reading/induction/values/currencies.ts";
import type { Normal, ValueKind } from "../../../reading/induction/values/value.ts";
import { readWhole, readWholeAsWritten } from "../../../reading/induction/values/whole-value.ts";
import { cellOf, sqlTypeOf } from "../extraction/columns.ts";
import { unitOf } from "./unit.ts";

export type LabelValue = Normal | null;

export interface Said {
  readonly value: LabelValue;
  /** Null where nobody said one: that of what was read. */
  readonly unit: string | null;
}

/** Words for a value that is refused. */
const FORMS: Readonly<Partial<Record<ValueKind, string>>> = {
  date: "a date such as 2031-04-30",
  money: "an amount such as 12.50 or EUR 12.50",
  number: "a number such as 12.5",
  percent: "a number such as 5 for 5 %",
  quantity: "a number such as 12.5, or with its unit 12.5 kg",
  boolean: "true or false",
};

/** Kinds whose answers have one form although they are texts. */
const NORMALIZED: readonly ValueKind[] = ["duration", "phone", "email", "url", "identifier"];

const NOT_STATED: Said = { value: null, unit: null };
const SEVERAL = "; ";

/**
 * Texts are read as those of documents are: `30/04/2031` by the sample's habit of writing dates. But
 * nothing of them may be lost: what is not understood as a whole is refused, since it would be stored
 * as something that nobody said.
 *
 * @throws UnprocessableError at `value` or `unit`
 */
export function labelValue(
  answerer: Answerer,
  conventions: ExtractionPlan["conventions"],
  value: LabelValue,
  unit: string | null = null,
): Said {
  const { target, id } = answerer;
  // The nth entry of a table's column is that of its nth row, also behind an empty one.
  const isColumn = target.multiple && areOfColumn(answerer.locators);
  const parts =
    target.multiple && typeof value === "string"
      ? value.split(";").filter((part) => isColumn || isSaid(part))
      : [value];
  const said = parts.map((part) => single(answerer, conventions, part));
  const units = new Set(said.flatMap((each) => each.unit ?? []));
  if (units.size > 1) throw refused(`${id} has one unit, not ${[...units].join(" and ")}`);
  const isAnySaid = said.some((each) => each.value !== null);
  const values = said.flatMap((each) => each.value ?? (isColumn && isAnySaid ? "" : []));
  const [written = null] = units;
  return {
    value: values.length === 0 ? null : target.multiple ? values.join(SEVERAL) : values[0]!,
    unit: unitOf(
      { id, kind: target.kind, isStated: values.length > 0 },
      written,
      unit,
      conventions,
    ),
  };
}

const isSaid = (text: string): boolean => text.trim() !== "";

function single(
  { target: { kind, enum: named }, id }: Answerer,
  conventions: ExtractionPlan["conventions"],
  value: LabelValue,
): Said {
  if (value === null || (typeof value === "string" && !isSaid(value))) return NOT_STATED;
  const type = sqlTypeOf({ target: { kind, enum: named, multiple: false } });
  if (type === "VARCHAR") {
    if (typeof value === "boolean") throw refused(`${id} is a text, not true or false`);
    const text = String(value);
    if (named.length > 0) return { value: oneOf(named, text, id), unit: null };
    const read = NORMALIZED.includes(kind) ? readWhole(kind, text, conventions) : null;
    return { value: read?.normal ?? text.trim(), unit: null };
  }
  const said =
    typeof value === "string" ? typed(type, kind, value, conventions, id) : { value, unit: null };
  const wanted = { DOUBLE: "number", BOOLEAN: "boolean", DATE: "string" }[type];
  // What a column of the rows could not hold would be no answer there.
  if (said === null || typeof said.value !== wanted || cellOf(type, said.value) === null) {
    throw refused(`${id} is ${FORMS[kind] ?? `of the kind ${kind}`}`);
  }
  return said;
}

/** What needs no habits to be read: as answers show it. */
const PLAIN = {
  DOUBLE: /^-?\d+(?:\.\d+)?$/,
  BOOLEAN: /^(?:true|false)$/,
  DATE: /^\d{4}-\d\d(?:-\d\d)?$/,
} as const;

/** Where a point stands for thousands too: 1.234 is two numbers. */
const THOUSANDS = /^-?[1-9]\d{0,2}\.\d{3}$/;

function typed(
  type: keyof typeof PLAIN,
  kind: ValueKind,
  written: string,
  conventions: ExtractionPlan["conventions"],
  id: string,
): Said | null {
  const text = written.trim();
  if (PLAIN[type].test(text)) {
    const { decimalComma, currency } = conventions;
    const isGrouped = decimalComma || (kind === "money" && isWhole(currency));
    if (type === "DOUBLE" && isGrouped && THOUSANDS.test(text)) {
      const whole = text.replace(".", "");
      const said = `${text} may be ${whole} here as well as ${text.replace(".", ",")}`;
      throw refused(`${id} is a number, and ${said}: write one of these, or send a JSON number`);
    }
    const of = { DOUBLE: Number, BOOLEAN: (truth: string) => truth === "true", DATE: String };
    return { value: of[type](text), unit: null };
  }
  // An amount without a currency, and a quantity without a unit, are numbers.
  const read =
    readWholeAsWritten(kind, text, conventions) ??
    (kind === "quantity" ? readWhole("number", text, conventions) : null);
  return read && { value: read.normal, unit: read.unit };
}

/** The value as the question names it. */
function oneOf(named: readonly string[], text: string, id: string): string {
  if (named.includes(text)) return text;
  const alike = named.filter((each) => labelKey(each) === labelKey(text));
  if (alike.length === 1) return alike[0]!;
  throw refused(`${id} is one of ${named.join(", ")}`);
}

const refused = (message: string) =>
  unprocessable(["body", "value"], message, { type: "answer_kind" });
