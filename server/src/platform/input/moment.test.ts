import { expect, it } from "vitest";
import { moment } from "./moment.ts";

it.each([
  ["0001-01-01T00:00:00Z", true],
  ["9999-12-31T23:59:59.999Z", true],
  ["2024-02-29T12:00:00.123456+05:30", true],
  ["0000-12-31T23:59:59Z", false],
  // In UTC they are years of which PostgreSQL reads no text that JavaScript writes.
  ["0001-01-01T00:00:00+14:00", false],
  ["9999-12-31T23:59:59-14:00", false],
  ["2024-02-30T00:00:00Z", false],
  ["2024-01-01T00:00:00", false],
])("%s: %s", (text, isTaken) => {
  expect(moment.safeParse(text).success).toBe(isTaken);
});
