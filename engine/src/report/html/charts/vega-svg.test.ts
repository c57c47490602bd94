/** Drawings share what their specifications compile to, and none may show another's rows. */

import fc from "fast-check";
import { logger, None, parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { expect, it } from "vitest";
import { autocorrelationSpec } from "./autocorrelation.ts";
import { barsSpec } from "./bars.ts";
import { lineSpec } from "./lines.ts";
import { sizedSpec } from "./spec.ts";
import { svgOf } from "./vega-svg.ts";

/** What Vega draws of a specification that has its rows in it. */
async function plainSvg(spec: TopLevelSpec): Promise<string> {
  const silent = logger(None);
  const view = new View(parse(compile(structuredClone(spec), { logger: silent }).spec), {
    renderer: "none",
    logger: silent,
  });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

const value = fc.integer({ min: -1000, max: 1000 }).map((whole) => whole / 8);
const points = fc.array(fc.tuple(value, value), { maxLength: 6 });

const chart = fc.oneof(
  fc
    .array(fc.record({ name: fc.constantFrom("a", "b"), value }), { minLength: 1, maxLength: 3 })
    .map((items) => barsSpec(items, "importance")),
  fc
    // One that is its own reference has equal rows in two places.
    .record({ points, reference: fc.option(points, { nil: undefined }), isOwn: fc.boolean() })
    .map(({ points, reference, isOwn }) =>
      lineSpec({
        lines: [{ name: "a", points }],
        x: "x",
        y: "y",
        ...(reference && { reference: isOwn ? points : reference }),
      }),
    ),
  fc
    .array(value, { minLength: 2, maxLength: 4 })
    .map((values) => autocorrelationSpec({ values, bound: 0.5, count: 9 })),
);

it("draws each as Vega does that has its rows from the start", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(chart, { minLength: 1, maxLength: 5 }), async (charts) => {
      for (const { spec } of charts) {
        const sized = sizedSpec(spec);
        expect(await svgOf(sized)).toBe(await plainSvg(sized));
      }
    }),
    { numRuns: 20 },
  );
});

it("draws the first again after more kinds than it keeps", async () => {
  const first = sizedSpec(barsSpec([{ name: "first", value: 1 }], "kept").spec);
  const drawn = await svgOf(first);
  for (let kind = 0; kind < 65; kind++) {
    await svgOf(sizedSpec(barsSpec([{ name: "a", value: kind }], `kind ${kind}`).spec));
  }
  expect(await svgOf(first)).toBe(drawn);
});
