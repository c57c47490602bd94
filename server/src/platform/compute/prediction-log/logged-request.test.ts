import fc from "fast-check";
import { expect, test } from "vitest";
import { isLoggedRow, loggedRows, MOST_LOGGED_ROWS } from "./logged-request.ts";

test("as many rows as may be are logged, evenly apart, and each is known as such", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), (rows) => {
      const logged = loggedRows(rows);
      expect(logged).toHaveLength(Math.min(rows, MOST_LOGGED_ROWS));
      const all = Array.from({ length: rows + 2 }, (_, row) => row);
      expect(all.filter((row) => isLoggedRow(row, rows))).toEqual(logged);
      const apart = logged.slice(1).map((row, at) => row - (logged[at] ?? 0));
      expect(Math.max(1, ...apart) - Math.min(rows, ...apart)).toBeLessThanOrEqual(1);
    }),
    { numRuns: 50 },
  );
});
