/** Every kind of value with its finder and its reader. */

import { ADDRESS } from "./address.ts";
import { BOOLEAN } from "./boolean.ts";
import { DATE } from "./date.ts";
import { withAsciiDigits } from "./digits.ts";
import { DURATION_KIND } from "./duration.ts";
import { EMAIL_KIND } from "./email.ts";
import { IDENTIFIER } from "./identifier.ts";
import type { Kind } from "./kind.ts";
import { MONEY } from "./money.ts";
import { NUMBER_KIND } from "./number.ts";
import { ORGANIZATION } from "./organization.ts";
import { PERCENT_KIND } from "./percent.ts";
import { PERSON } from "./person.ts";
import { PHONE } from "./phone.ts";
import { PLACE } from "./place.ts";
import { QUANTITY_KIND } from "./quantity.ts";
import { TEXT } from "./text.ts";
import { URL_KIND } from "./url.ts";
import type { Conventions, TypedValue, ValueKind } from "./value.ts";

export const KINDS: Readonly<Record<ValueKind, Kind>> = {
  date: DATE,
  money: MONEY,
  number: NUMBER_KIND,
  percent: PERCENT_KIND,
  quantity: QUANTITY_KIND,
  duration: DURATION_KIND,
  phone: PHONE,
  email: EMAIL_KIND,
  url: URL_KIND,
  identifier: IDENTIFIER,
  person: PERSON,
  organization: ORGANIZATION,
  address: ADDRESS,
  place: PLACE,
  boolean: BOOLEAN,
  text: TEXT,
};

/** Their values are given as they are written. */
const IN_LETTERS = new Set<ValueKind>(["text", "person", "organization", "address", "place"]);

/**
 * The value that a text holds, where it is about little else: a label and its colon, currency words,
 * stars and a time of day may stand around it. Offsets are of the value alone.
 *
 * @returns null where the text is no value of the kind
 */
export function read(kind: ValueKind, text: string, conventions: Conventions): TypedValue | null {
  return KINDS[kind].read(IN_LETTERS.has(kind) ? text : withAsciiDigits(text), conventions);
}
