import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTimestamp, parseTimestamp } from "./timestamp-text.ts";

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
  ])("refuses %j", (text) => {
    expect(parseTimestamp(text)).toBeNaN();
  });
});
