import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatTimestamp,
  parseTimestamp,
  SLASHED_ORDERS,
  type SlashedOrder,
  slashedOrder,
} from "./timestamp-text.ts";

const when = fc.date({
  min: new Date("0001-01-01"),
  max: new Date("9999-12-31"),
  noInvalidDate: true,
});

describe("parseTimestamp", () => {
  it("agrees with Date on ISO 8601", () => {
    fc.assert(
      fc.property(when, fc.constantFrom(10, 16, 19, 23), (date, length) => {
        const text = date.toISOString().slice(0, length);
        const peer = Date.parse(length === 10 ? text : `${text}Z`);
        expect(parseTimestamp(text)).toBe(peer);
        expect(parseTimestamp(text.replace("T", " "))).toBe(peer);
        expect(parseTimestamp(length === 10 ? text : `${text}Z`)).toBe(peer);
      }),
      { numRuns: 500 },
    );
  });

  it("gives back what formatTimestamp writes", () => {
    fc.assert(
      fc.property(when, (date) => {
        expect(parseTimestamp(formatTimestamp(date.getTime()))).toBe(date.getTime());
      }),
    );
  });

  it.each<[string, string]>([
    ["2011-01", "2011-01-01T00:00:00Z"],
    ["2011/1/9", "2011-01-09T00:00:00Z"],
    ["31.1.2011", "2011-01-31T00:00:00Z"],
    ["31.01.2011 7:05", "2011-01-31T07:05:00Z"],
    ["2011-01-31T10:05:59+01:30", "2011-01-31T08:35:59Z"],
    ["2011-01-31 10:05:59 -0330", "2011-01-31T13:35:59Z"],
    ["2011-01-31 10:05 UTC", "2011-01-31T10:05:00Z"],
    ["2011-01-31T10", "2011-01-31T10:00:00Z"],
    ["2011-01-31T24:00", "2011-02-01T00:00:00Z"],
    ["2000-02-29", "2000-02-29T00:00:00Z"],
    ["2011-01-31T10:05:59,25Z", "2011-01-31T10:05:59.250Z"],
    ["20141013T000000", "2014-10-13T00:00:00Z"],
    ["20141013T000000Z", "2014-10-13T00:00:00Z"],
    ["20141013T1005", "2014-10-13T10:05:00Z"],
    ["20141013T10+0130", "2014-10-13T08:30:00Z"],
    ["20141013T100559.25", "2014-10-13T10:05:59.250Z"],
    ["20141013T240000", "2014-10-14T00:00:00Z"],
    ["1981 Q1", "1981-01-01T00:00:00Z"],
    ["1981Q2", "1981-04-01T00:00:00Z"],
    ["1981-q3", "1981-07-01T00:00:00Z"],
    ["Q4 1981", "1981-10-01T00:00:00Z"],
    ["1960M02", "1960-02-01T00:00:00Z"],
    ["1987 Jan", "1987-01-01T00:00:00Z"],
    ["SEPT 1987", "1987-09-01T00:00:00Z"],
    ["May-2011", "2011-05-01T00:00:00Z"],
    ["december 2011", "2011-12-01T00:00:00Z"],
    ["31-Jan-2011", "2011-01-31T00:00:00Z"],
    ["1 February 2011", "2011-02-01T00:00:00Z"],
    ["Feb. 29, 2012", "2012-02-29T00:00:00Z"],
    ["March 3rd, 2011", "2011-03-03T00:00:00Z"],
    ["2011-Jan-31", "2011-01-31T00:00:00Z"],
    ["31JAN2011", "2011-01-31T00:00:00Z"],
    ["1650-W01", "1650-01-03T00:00:00Z"],
    ["1991 W06", "1991-02-04T00:00:00Z"],
    ["2020-W53", "2020-12-28T00:00:00Z"],
    ["2009W01", "2008-12-29T00:00:00Z"],
    ["2020-W1", "2019-12-30T00:00:00Z"],
    ["2020/W01", "2019-12-30T00:00:00Z"],
    ["Q2/1981", "1981-04-01T00:00:00Z"],
    ["1981/Q2", "1981-04-01T00:00:00Z"],
    ["31/Jan/2011", "2011-01-31T00:00:00Z"],
    ["2011-01-31 12:00 AM", "2011-01-31T00:00:00Z"],
    ["2011-01-31 12:30PM", "2011-01-31T12:30:00Z"],
    ["31.1.2011 1:05:59.5 pm", "2011-01-31T13:05:59.500Z"],
    ["2011/1/31 11 PM +01:00", "2011-01-31T22:00:00Z"],
  ])("reads %s", (text, iso) => {
    expect(parseTimestamp(text)).toBe(Date.parse(iso));
  });

  it.each([
    "",
    "2011",
    "20110131",
    "2011-13-01",
    "2011-02-29",
    "2011-1-32",
    "1.5.0",
    "2011-01-31x",
    "2011-01-31T25:00",
    "2011-01-31T10:61",
    "2011-01-31 10:05+1",
    "1/2/2011",
    "31.1.11",
    "10:05",
    "2011/01",
    "1-2-2011",
    "-2011-01-01",
    "2011-01-31T",
    "20141313T000000",
    "20150229T000000",
    "20141013T",
    "20141013T1",
    "20141013T1005590",
    "20141013T10:05",
    "20141013T256000",
    "20141013 000000",
    "2014-1013T000000",
    "201410T000000",
    "２０１１-01-31",
    "1981 Q5",
    "1981Q",
    "Q11981Q",
    "0981 Q1",
    "1960M13",
    "1987 Jam",
    "1987 Ja",
    "1987 Januarys",
    "12345 Jan",
    "123 Jan 1987",
    "2011 Jan dx",
    "May 11",
    "Jan-99",
    "30 Feb 2011",
    "2011 W54",
    "2021-W53",
    "2011W00",
    "March of 2011",
    "1960M2",
    "2011 Jan 31 2011",
    "2011  Jan",
    "qdy",
    "ynd",
    "1 May",
    "Jan-15",
    "1-Jan-15",
    "01/2015",
    "31-01-2015",
    "12-34-5678",
    "2011-01-31 0:05 AM",
    "2011-01-31 13:05 PM",
    "2011-01-31 1:05 XM",
    "2011-01-31 1:05 P",
    "2011-01-31 AM",
    "20141013T10PM",
    "Q1//2005",
    "2020-W0",
  ])("refuses %j", (text) => {
    expect(parseTimestamp(text)).toBeNaN();
  });
});

const day = fc.date({
  min: new Date("1970-01-01"),
  max: new Date("2068-12-31"),
  noInvalidDate: true,
});
const MONTHS = [..."JanFebMarAprMayJunJulAugSepOctNovDec".matchAll(/.../g)].map(String);

/** How a day can be written, by the order that reads it, and whether only its month is. */
const written: readonly (readonly [SlashedOrder, (date: Date, pad: number) => string, boolean])[] =
  [
    ["day-first", (date, pad) => [...dayMonth(date, pad), date.getUTCFullYear()].join("-"), false],
    ["day-first", (date, pad) => [...dayMonth(date, pad), date.getUTCFullYear()].join("/"), false],
    [
      "month-first",
      (date, pad) => [...dayMonth(date, pad).reverse(), date.getUTCFullYear()].join("-"),
      false,
    ],
    ["abbreviated", (date, pad) => `${dayMonth(date, pad)[1]}/${date.getUTCFullYear()}`, true],
    ["abbreviated", (date, pad) => `${dayMonth(date, pad)[1]}-${date.getUTCFullYear()}`, true],
    ["abbreviated", (date, pad) => `${date.getUTCFullYear()}/${dayMonth(date, pad)[1]}`, true],
    ["abbreviated", (date) => `${nameOf(date)}-${yearOf(date)}`, true],
    ["abbreviated", (date) => `${nameOf(date).toUpperCase()} ${yearOf(date)}`, true],
    [
      "abbreviated",
      (date, pad) => `${dayMonth(date, pad)[0]}-${nameOf(date)}-${yearOf(date)}`,
      false,
    ],
    ["abbreviated", (date) => `${dayMonth(date, 2)[0]}${nameOf(date)}${yearOf(date)}`, false],
  ];

const dayMonth = (date: Date, pad: number): string[] =>
  [date.getUTCDate(), date.getUTCMonth() + 1].map((part) => String(part).padStart(pad, "0"));
const nameOf = (date: Date): string => MONTHS[date.getUTCMonth()];
const yearOf = (date: Date): string => String(date.getUTCFullYear()).slice(2);

describe("dates that a cell alone does not tell", () => {
  it("are read in their order, and in no other as something else", () => {
    fc.assert(
      fc.property(
        day.filter((date) => date.getUTCFullYear() >= 1970),
        fc.constantFrom(...written),
        fc.constantFrom(1, 2),
        (date, [order, write, isMonth], pad) => {
          const text = write(date, pad);
          fc.pre(text.length >= 6);
          const time = Date.UTC(
            date.getUTCFullYear(),
            date.getUTCMonth(),
            isMonth ? 1 : date.getUTCDate(),
          );
          expect(parseTimestamp(text, order)).toBe(time);
          expect(parseTimestamp(text)).toBeNaN();
          const others = SLASHED_ORDERS.filter((other) => other !== order);
          for (const other of order === "abbreviated" ? others : ["abbreviated" as const]) {
            expect(parseTimestamp(text, other)).toBeNaN();
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("have years of two digits from 1969 to 2068", () => {
    expect(parseTimestamp("Jan-69", "abbreviated")).toBe(Date.UTC(1969, 0, 1));
    expect(parseTimestamp("Jan-99", "abbreviated")).toBe(Date.UTC(1999, 0, 1));
    expect(parseTimestamp("Jan-00", "abbreviated")).toBe(Date.UTC(2000, 0, 1));
    expect(parseTimestamp("1-Jan-68", "abbreviated")).toBe(Date.UTC(2068, 0, 1));
    expect(parseTimestamp("29-Feb-15", "abbreviated")).toBeNaN();
  });

  it.each([
    "12-34-5678",
    "1-2-3",
    "1-5",
    "10-20",
    "12-11-5678",
    "13/2015",
    "1/500",
    "15-Jan",
    "ABC-10",
  ])("are not %s", (text) => {
    for (const order of SLASHED_ORDERS) expect(parseTimestamp(text, order)).toBeNaN();
  });

  it("need no order where each tells by itself", () => {
    expect(slashedOrder(["2015-01-31", "31.1.2015", "Q1/2015"])).toBeNull();
    expect(slashedOrder([])).toBeNull();
    expect(slashedOrder(["01/2015", "2015-02-01"])).toEqual({
      order: "abbreviated",
      ambiguous: false,
    });
    expect(slashedOrder(["01-02-2015", "02-01-2015"])).toEqual({
      order: "month-first",
      ambiguous: true,
    });
    expect(slashedOrder(["01-01-2015", "01-02-2015"])).toEqual({
      order: "day-first",
      ambiguous: true,
    });
    expect(slashedOrder(["31-01-2015", "01-13-2015"])).toBeNull();
  });
});

describe("the order of dates like 1/2/2015", () => {
  it("has the month first where both are possible, unless these are the first days of months", () => {
    const [monthFirst, dayFirst] = [
      { order: "month-first", ambiguous: true },
      { order: "day-first", ambiguous: true },
    ];
    const months = Array.from({ length: 24 }, (_, i) => [1 + (i % 12), 2015 + Math.floor(i / 12)]);
    for (const pad of [1, 2]) {
      const shown = (value: number): string => String(value).padStart(pad, "0");
      expect(slashedOrder(months.map(([m, y]) => `${shown(1)}/${shown(m)}/${y}`))).toEqual(
        dayFirst,
      );
      expect(slashedOrder(months.map(([m, y]) => `${shown(m)}/${shown(1)}/${y}`))).toEqual(
        monthFirst,
      );
      expect(slashedOrder(months.map(([m, y]) => `${shown(3)}/${shown(m)}/${y}`))).toEqual(
        monthFirst,
      );
    }
    expect(slashedOrder(["1/1/2015", "1/1/2016"])).toEqual(monthFirst);
    expect(slashedOrder(["01/02/2015", "01/13/2015"])).toEqual({
      order: "month-first",
      ambiguous: false,
    });
    expect(slashedOrder(["01/02/2015", "13/02/2015"])).toEqual({
      order: "day-first",
      ambiguous: false,
    });
  });
});
