import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTimestamp, parseTimestamp, slashedOrder } from "./timestamp-text.ts";

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
  ])("refuses %j", (text) => {
    expect(parseTimestamp(text)).toBeNaN();
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
