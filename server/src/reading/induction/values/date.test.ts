import * as chrono from "chrono-node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoDate } from "./calendar.ts";
import { read } from "./kinds.ts";
import { recognise } from "./recognise.ts";
import { type Conventions, NEUTRAL_CONVENTIONS } from "./value.ts";

const day = NEUTRAL_CONVENTIONS;
const month: Conventions = { ...day, dayFirst: false };

const ENGLISH =
  "January February March April May June July August September October November December".split(
    " ",
  );
const BY_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  de: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(
    " ",
  ),
  fr: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(
    " ",
  ),
  nl: "januari februari maart april mei juni juli augustus september oktober november december".split(
    " ",
  ),
  es: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(
    " ",
  ),
  it: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(
    " ",
  ),
  pt: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(
    " ",
  ),
  pl: "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia".split(
    " ",
  ),
};

interface Ymd {
  readonly y: number;
  readonly m: number;
  readonly d: number;
}

const two = (number: number): string => String(number).padStart(2, "0");
const ordinal = (d: number): string => {
  const ending =
    d % 10 === 1 && d !== 11
      ? "st"
      : d % 10 === 2 && d !== 12
        ? "nd"
        : d % 10 === 3 && d !== 13
          ? "rd"
          : "th";
  return `${d}${ending}`;
};

/** Ways to write a day, each with the convention that it needs. */
const FORMS: readonly (readonly [(date: Ymd) => string, Conventions])[] = [
  [({ y, m, d }) => `${two(d)}/${two(m)}/${y}`, day],
  [({ y, m, d }) => `${two(m)}/${two(d)}/${y}`, month],
  [({ y, m, d }) => `${d}-${m}-${y}`, day],
  [({ y, m, d }) => `${two(d)}.${two(m)}.${y}`, day],
  [({ y, m, d }) => `${y}-${two(m)}-${two(d)}`, month],
  [({ y, m, d }) => `${y}/${m}/${d}`, day],
  [({ y, m, d }) => `${two(d)}-${ENGLISH[m - 1]!.slice(0, 3).toUpperCase()}-${y}`, month],
  [({ y, m, d }) => `${two(d)}${ENGLISH[m - 1]!.slice(0, 3).toUpperCase()}${y}`, month],
  [({ y, m, d }) => `${ENGLISH[m - 1]!} ${d}, ${y}`, day],
  [({ y, m, d }) => `${ENGLISH[m - 1]!} ${d} , ${y}`, day],
  [({ y, m, d }) => `${ENGLISH[m - 1]!.slice(0, 3)}. ${ordinal(d)}, ${y}`, day],
  [({ y, m, d }) => `this ${ordinal(d)} day of ${ENGLISH[m - 1]!}, ${y}`, day],
  [({ y, m, d }) => `${y}年${m}月${d}日`, day],
  ...Object.values(BY_LANGUAGE).map(
    (names) => [({ y, m, d }: Ymd) => `${d} ${names[m - 1]!} ${y}`, month] as const,
  ),
  [({ y, m, d }) => `${d}. ${BY_LANGUAGE["de"]![m - 1]!} ${y}`, day],
  [({ y, m, d }) => `${d} de ${BY_LANGUAGE["es"]![m - 1]!} de ${y}`, day],
];

const dates = fc
  .record({
    y: fc.integer({ min: 1950, max: 2060 }),
    m: fc.integer({ min: 1, max: 12 }),
    d: fc.integer({ min: 1, max: 31 }),
  })
  .filter(({ y, m, d }) => isoDate(y, m, d) !== null);
const around = fc.constantFrom(
  ["", ""],
  ["Date: ", ""],
  ["DATE :  ", " 8:13:39 PM"],
  ["Rotterdam, ", " 14:05"],
  ["* ", " *"],
  ["(", ")"],
);

describe("dates", () => {
  it("come back from every way to write them", () => {
    fc.assert(
      fc.property(
        dates,
        fc.constantFrom(...FORMS),
        around,
        (date, [write, conventions], [before, after]) => {
          const text = `${before}${write(date)}${after}`;
          expect(read("date", text, conventions)?.normal, text).toBe(
            isoDate(date.y, date.m, date.d),
          );
        },
      ),
      { numRuns: 600 },
    );
  });

  it("in English agree with chrono's reading", () => {
    // Chrono knows no `18th day of April`, nor `May.` as if it were short for something.
    const english = FORMS.filter(([write]) =>
      /^(?!.*day of)[\x20-\x7e]*(?:Mar|MAR|[-/.]\d)/.test(write({ y: 2001, m: 3, d: 14 })),
    );
    const reference = new Date(Date.UTC(2000, 0, 1));
    fc.assert(
      fc.property(dates, fc.constantFrom(...english), (date, [write, conventions]) => {
        const text = write(date);
        fc.pre(!text.includes("May."));
        const parser = conventions.dayFirst ? chrono.en.GB : chrono.en.strict;
        const start = parser.parse(text, reference)[0]!.start;
        const at = (unit: "year" | "month" | "day") => start.get(unit)!;
        expect(read("date", text, conventions)?.normal, text).toBe(
          isoDate(at("year"), at("month"), at("day")),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("are as the Gregorian calendar has them", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1600, max: 2199 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (y, m, d) => {
          const time = new Date(Date.UTC(y, m - 1, d));
          const isReal =
            time.getUTCFullYear() === y && time.getUTCMonth() === m - 1 && time.getUTCDate() === d;
          expect(isoDate(y, m, d)).toBe(isReal ? time.toISOString().slice(0, 10) : null);
        },
      ),
    );
  });

  it.each([
    ["25/12/18", "2018-12-25"],
    ["25-DEC-18", "2018-12-25"],
    ["12/03/2018 10:25:49 PM  RM", "2018-03-12"],
    ["21/05/2018TIME:", "2018-05-21"],
    ["25/12/ 2018", "2018-12-25"],
    ["25 . 12 . 2018", "2018-12-25"],
    ["2018-12-25T20:13:39Z", "2018-12-25"],
    ["1/2/69", "1969-02-01"],
    ["1/2/68", "2068-02-01"],
    ["98-12-25", "1998-12-25"],
    ["the first day of March, 2005", "2005-03-01"],
    ["April , 2001", "2001-04"],
    ["April ___, 2001", "2001-04"],
    ["novembre 2022", "2022-11"],
    ["05/2018", "2018-05"],
    ["O5/03/2O18", "2018-03-05"],
    ["3l/I2/2017", "2017-12-31"],
    ["20181225", "2018-12-25"],
    ["05 03 2018", "2018-03-05"],
  ])("%s is %s", (written, normal) => {
    expect(read("date", written, day)?.normal).toBe(normal);
  });

  it.each([
    "31/02/2018",
    "31 April 2018",
    "25/25/2018",
    "10.1",
    "192.168.10.12",
    "03-7731 8169",
    "the Company may 10",
    "SANDY 12",
    "Total 9.00",
    "2 SET 15",
  ])("%s is none", (written) => {
    expect(read("date", written, day)).toBeNull();
  });

  it("of a range are its ends", () => {
    const ends = (text: string) =>
      recognise(text, day, ["date"]).map(({ start, end, normal }) => [
        text.slice(start, end),
        normal,
      ]);
    expect(ends("January 29-30, 2013")).toEqual([
      ["January 29", "2013-01-29"],
      ["30, 2013", "2013-01-30"],
    ]);
    expect(ends("du 1er au 31 juillet 2015")).toEqual([
      ["1er", "2015-07-01"],
      ["31 juillet 2015", "2015-07-31"],
    ]);
    expect(ends("01/07 - 31/07/2015")).toEqual([
      ["01/07", "2015-07-01"],
      ["31/07/2015", "2015-07-31"],
    ]);
    expect(ends("01.05.14-31.05.14")).toEqual([
      ["01.05.14", "2014-05-01"],
      ["31.05.14", "2014-05-31"],
    ]);
  });

  it("of two columns are not one", () => {
    const found = recognise("June 25,  June 26,\n2022  2021", day, ["date"]);
    expect(found.map(({ normal }) => normal)).not.toContain("2026-06-25");
  });
});
