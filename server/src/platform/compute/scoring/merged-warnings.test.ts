/** Warnings of parts, merged. */

import { expect, it } from "vitest";
import { mergedWarnings } from "./merged-warnings.ts";

it("adds up rows, and says what is said of every part once", () => {
  const unseen = (example: string, rows: number) =>
    `Column "zip" has categories that were not in the training data, such as "${example}", in ${rows} of 65536 rows.`;
  const absent = 'Column "age" is absent and treated as missing in every row.';
  expect(
    mergedWarnings([[absent, unseen("a", 3)], [absent], [unseen("b", 4), absent]], 150_000),
  ).toEqual([
    absent,
    'Column "zip" has categories that were not in the training data, such as "a", in 7 of 150000 rows.',
  ]);
});
