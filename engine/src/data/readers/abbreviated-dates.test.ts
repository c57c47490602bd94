import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ColumnKind } from "../table.ts";
import { ReadBudget } from "./read-limits.ts";
import type { BuiltColumn } from "./reading.ts";
import { StringColumnBuilder } from "./string-column.ts";

const MONTHS = [..."JanFebMarAprMayJunJulAugSepOctNovDec".matchAll(/.../g)].map(String);

function columnOf(texts: readonly string[], kind?: ColumnKind): BuiltColumn {
  const builder = new StringColumnBuilder("t", new ReadBudget());
  for (const text of texts) builder.addText(text);
  return builder.finish(kind, true);
}

const timesOf = ({ column }: BuiltColumn): number[] | null =>
  column.kind === "timestamp" ? [...column.values] : null;
const two = (value: number): string => String(value % 100).padStart(2, "0");

/** How a month, from 0, may be written. */
const FORMS: readonly ((year: number, month: number) => string)[] = [
  (year, month) => `${MONTHS[month]}-${two(year)}`,
  (year, month) => `${MONTHS[month].toUpperCase()} ${two(year)}`,
  (year, month) => `${two(month + 1)}/${year}`,
  (year, month) => `${month + 1}/${year}`,
  (year, month) => `${two(month + 1)}-${year}`,
  (year, month) => `${year}/${two(month + 1)}`,
  (year, month) => `1-${MONTHS[month]}-${two(year)}`,
];

describe("columns of abbreviated dates", () => {
  it("are read where all cells are, in any order of rows, and told of years of two digits", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMS),
        fc.integer({ min: 0, max: 1100 }),
        fc.integer({ min: 14, max: 90 }),
        fc.gen(),
        (form, start, count, gen) => {
          const months = Array.from({ length: Math.min(count, 1180 - start) }, (_, i) => start + i);
          const shuffled = gen(fc.shuffledSubarray, months, {
            minLength: months.length,
            maxLength: months.length,
          });
          const written = (month: number): string =>
            form(1970 + Math.floor(month / 12), month % 12);
          const built = columnOf(shuffled.map(written));
          const times = shuffled.map((month) => Date.UTC(1970, month));
          expect(timesOf(built)).toEqual(times);
          expect(built.column).toMatchObject({ slashed: "abbreviated" });
          const first = written(shuffled[0]);
          const told = built.warnings.map(({ message }) => message).join();
          if (/[a-z]/i.test(first)) expect(told).toContain(JSON.stringify(first));
          else expect(told).toBe("");
        },
      ),
      { numRuns: 150 },
    );
  });

  it("are none where one cell is no time, or of another order", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMS),
        fc.constantFrom("x", "1-5", "12-34-5678", "31/01/2015", "Mar-XL", "15-Jan"),
        fc.nat(30),
        (form, other, place) => {
          const texts = Array.from({ length: 30 }, (_, i) =>
            form(2010 + Math.floor(i / 12), i % 12),
          );
          texts.splice(place, 0, other);
          expect(columnOf(texts).column.kind).toBe("categorical");
          expect(() => columnOf(texts, "timestamp")).toThrow("should be a time");
        },
      ),
    );
  });

  it.each<[string, string[]]>([
    ["codes of few months", ["Mar-10", "Mar-20", "Mar-30", "Mar-45"]],
    ["codes of one month", Array.from({ length: 40 }, (_, i) => `MAR-${10 + 2 * i}`)],
    ["few codes", ["Jan-01", "Feb-02", "Mar-03", "Dec-12"]],
    ["the days of a year", days(366, 1)],
    ["days of a quarter", days(91, 1)],
    ["every seventh day of a year", days(53, 7)],
    ["seasons over two years", ["2008/09", "2009/10", "2010/11", "2011/12"]],
    ["one season", ["2009/10"]],
    ["fractions", ["1/1600", "1/2000", "1/1800"]],
    ["numbers of two parts", ["12-34-5678", "10-11-2001"]],
    ["spans", ["1-5", "6-10", "11-20"]],
    ["long spans", ["10-1999", "20-1999", "30-1999"]],
  ])("are not %s", (_, texts) => {
    expect(columnOf(texts).column.kind).not.toBe("timestamp");
  });

  it("may be declared where cells alone do not tell", () => {
    const built = columnOf(["Mar-10", "Apr-10"], "timestamp");
    expect(timesOf(built)).toEqual([Date.UTC(2010, 2), Date.UTC(2010, 3)]);
    expect(built.warnings).toEqual([
      expect.objectContaining({
        column: "t",
        message: expect.stringMatching(/"Mar-10", which is read as 2010-03-01: 69 to 99 are/),
      }),
    ]);
  });

  it("have years where a number is no day, of months with gaps too", () => {
    const texts = ["Jan-85", "Dec-99", "Jun-07", "Feb-02", "Mar-93", "Aug-11", "Jul-06", "May-90"];
    const more = ["Oct-98", "Nov-78"];
    expect(columnOf(texts).column.kind).toBe("categorical");
    expect(timesOf(columnOf([...texts, ...more]))?.slice(-2)).toEqual([
      Date.UTC(1998, 9),
      Date.UTC(1978, 10),
    ]);
  });
});

function days(count: number, step: number): string[] {
  return Array.from({ length: count }, (_, i) => new Date(Date.UTC(2000, 0, 1 + step * i)))
    .filter((date) => date.getUTCFullYear() === 2000)
    .map((date) => `${MONTHS[date.getUTCMonth()]}-${two(date.getUTCDate())}`);
}

describe("days with hyphens", () => {
  it("have the order of those with slashes, and are told of where none shows it", () => {
    expect(timesOf(columnOf(["31-01-2015", "01-02-2015"]))).toEqual([
      Date.UTC(2015, 0, 31),
      Date.UTC(2015, 1, 1),
    ]);
    expect(columnOf(["31-01-2015", "01-02-2015"]).warnings).toEqual([]);
    const [month] = columnOf(["02-01-2015", "03-04-2015"]).warnings;
    expect(month.message).toContain('like "02-01-2015", which are read as month-day-year');
    const [firsts] = columnOf(["01/01/2015", "01/02/2015"]).warnings;
    expect(firsts.message).toContain("read as day/month/year");
    expect(columnOf(["31-01-2015", "01-31-2015"]).column.kind).toBe("categorical");
    expect(() => columnOf(["31-01-2015", "01-31-2015"], "timestamp")).toThrow(
      'with the day first, such as "31-01-2015" in row 1, and dates with the month first',
    );
  });
});
