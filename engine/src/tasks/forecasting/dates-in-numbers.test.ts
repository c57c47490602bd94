import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError } from "../../data/table.ts";
import { checkDatesInNumbers } from "./dates-in-numbers.ts";

const check = (...series: number[][]): string[] =>
  checkDatesInNumbers(
    "t",
    series.map((times, s) => ({ name: `s${s}`, times: Float64Array.from(times) })),
  );
const steps = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe("numbers of a time column", () => {
  const forms: [string, number, (year: number, part: number) => number][] = [
    ["YYYYQ", 4, (year, part) => year * 10 + part],
    ["YYYYMM", 12, (year, part) => year * 100 + part],
    ["YYYYWW", 52, (year, part) => year * 100 + part],
    ["YYYYDDD", 365, (year, part) => year * 1000 + part],
    ["YYYY.Q", 4, (year, part) => Number(`${year}.${part}`)],
    ["YYYY.MM", 12, (year, part) => Number(`${year}.${String(part).padStart(2, "0")}`)],
  ];

  it.each(forms)("are refused where they go on over a year as %s", (written, parts, numberOf) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1900, max: 2095 }),
        fc.integer({ min: 1, max: parts }),
        fc.integer({ min: parts + 1, max: 3 * parts }),
        (year, first, count) => {
          const times = steps(count).map((i) => {
            const at = first - 1 + i;
            return numberOf(year + Math.floor(at / parts), 1 + (at % parts));
          });
          expect(() => check(times)).toThrow(DataError);
          expect(() => check([times[0]], times)).toThrow(written);
        },
      ),
    );
  });

  it("are told from which number to which they go on", () => {
    expect(() => check([201551, 201552, 201553, 201601, 201602])).toThrow(
      "from 201553 to 201601, as weeks written as YYYYWW do",
    );
  });

  it("are as they are where they are regular", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3_000_000 }),
        fc.constantFrom(1, 2, 5, 10, 100, 1000),
        fc.integer({ min: 120, max: 400 }),
        (first, step, count) => {
          const times = steps(count).map((i) => first + i * step);
          expect(() => check(times)).not.toThrow();
        },
      ),
    );
    expect(check(steps(40).map((i) => 1980 + i))).toEqual([]);
    expect(check(steps(40).map((i) => 42_005 + i))).toEqual([]);
    expect(check(steps(40).map((i) => 0.1 * i))).toEqual([]);
    // One quarter a year is a step of ten.
    expect(check(steps(20).map((i) => 20_001 + 10 * i))).toEqual([]);
  });

  it("of one year, or one month, are told with what they go on", () => {
    expect(check(steps(30).map((i) => 202_401 + i)).join()).toMatch(
      /may be weeks written as YYYYWW.* go on with 202431\. .* 2015-W05/,
    );
    expect(check(steps(31).map((i) => 20_150_101 + i)).join()).toMatch(
      /days written as YYYYMMDD.* go on with 20150132/,
    );
    expect(check([202_401, 202_403])).toEqual([]);
  });

  it.each([
    ["seconds", 1],
    ["milliseconds", 1e3],
    ["microseconds", 1e6],
    ["nanoseconds", 1e9],
  ])("since 1970 in %s are told, in whole minutes", (name, second) => {
    const first = Date.UTC(2015, 0, 1) / 1000;
    const [message] = check(steps(20).map((i) => (first + 3600 * i) * second));
    expect(message).toContain(`may be ${name} since 1970, from 2015-01-01T00:00:00.000Z on`);
    expect(check(steps(20).map((i) => (first + 7 * i) * second))).toEqual([]);
  });
});
