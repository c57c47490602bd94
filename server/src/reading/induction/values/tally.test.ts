import { describe, expect, test } from "vitest";
import { denies } from "./boolean.ts";
import { readTally } from "./tally.ts";

describe("a count that is no plain number", () => {
  test.each([
    ["none", 0],
    ["None reported.", 0],
    ["1 None", 0],
    ["2 None, 0 Minor", 0],
    ["1 Serious, 2 Minor", 3],
    ["1 Fatal and 2 None", 1],
    ["keine", 0],
  ])("%s", (text, count) => {
    expect(readTally(text)?.normal).toBe(count);
  });

  test.each([
    "3",
    "3 Minor",
    "12 Main Street, 4 Floor, Reno",
    "Unknown",
    "",
    "None of the three who were there",
  ])("is not read from %j", (text) => {
    expect(readTally(text)).toBeNull();
  });
});

test.each(["No", "none", "1 None", "0", "nil", "No injuries"])("%j denies", (text) => {
  expect(denies(text)).toBe(true);
});

test.each(["1 Fatal", "No party may assign it", "Unknown", "10", ""])(
  "%j does not deny",
  (text) => {
    expect(denies(text)).toBe(false);
  },
);
