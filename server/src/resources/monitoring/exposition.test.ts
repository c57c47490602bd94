/** The text that Prometheus reads: whatever is written can be read back, names and labels as they were. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExposition } from "../../../../test/support/exposition.ts";
import { expositionOf, type Family } from "./exposition.ts";
import { HttpRequests } from "./http-requests.ts";

const value = fc.double({ noNaN: true }).map((each) => each + 0);

describe("the exposition", () => {
  it("says any label and any number so that they are read back", () => {
    const labels = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(fc.tuple(labels, value)), fc.string(), (drawn, help) => {
        const samples = drawn.map(([own, number], at): [Record<string, string>, number] => [
          { ...own, at: String(at) },
          number,
        ]);
        const family: Family = { name: "some_bytes", help: `h${help}`, type: "gauge", samples };
        const read = parseExposition(expositionOf([family]));
        expect(read.map((sample) => [{ ...sample.labels }, sample.value])).toEqual(samples);
      }),
    );
  });

  it("leaves a family without samples out", () => {
    expect(expositionOf([{ name: "a_total", help: "h", type: "counter", samples: [] }])).toBe("");
  });
});

describe("HTTP requests", () => {
  it("are counted by route and status, each at most at the bounds that hold it", () => {
    const http = new HttpRequests();
    const one = { method: "GET", route: "/a", status: 200 };
    for (const seconds of [0.001, 0.0011, 61]) http.add({ ...one, seconds });
    http.add({ ...one, status: 404, seconds: 0.3 });
    http.add({ method: "PURGE", route: undefined, status: 404, seconds: 0 });
    const read = parseExposition(expositionOf(http.families()));
    const figure = (name: string, labels: object): number | undefined =>
      read.find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
      )?.value;
    const total = "distillery_http_requests_total";
    expect(figure(total, { route: "/a", status: "200" })).toBe(3);
    expect(figure(total, { route: "/a", status: "404" })).toBe(1);
    expect(figure(total, { route: "none", method: "any" })).toBe(1);
    const bucket = "distillery_http_request_duration_seconds_bucket";
    const atMost = ["0.001", "0.0025", "0.25", "0.5", "60", "+Inf"];
    expect(atMost.map((le) => figure(bucket, { route: "/a", le }))).toEqual([1, 2, 2, 3, 3, 4]);
    expect(figure("distillery_http_request_duration_seconds_sum", { route: "/a" })).toBeCloseTo(
      61.3021,
      10,
    );
  });
});
