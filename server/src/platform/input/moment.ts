/** Times in requests. */

import { z } from "zod";

/** The first and the last that ISO 8601's four digits and PostgreSQL both have, in milliseconds since 1970. */
export const FIRST_MOMENT = Date.parse("0001-01-01T00:00:00Z");
const LAST_MOMENT = Date.parse("9999-12-31T23:59:59.999Z");

/** An ISO 8601 time with its distance from UTC, or a Z. */
export const moment = z.iso.datetime({ offset: true }).refine((text) => {
  const at = Date.parse(text);
  return at >= FIRST_MOMENT && at <= LAST_MOMENT;
}, "a time lies in the years 1 to 9999 of UTC");
