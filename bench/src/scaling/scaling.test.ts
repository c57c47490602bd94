import { describe, expect, it } from "vitest";
import { drawCurve } from "./drawing.ts";
import { fitPowerLaw } from "./power-law.ts";

const points = [10, 30, 100, 1000].map((x) => [x, 0.5 * x ** 1.3] as const);

describe("scaling", () => {
  it("finds the power law that points lie on", () => {
    const law = fitPowerLaw(points);
    expect(law.exponent).toBeCloseTo(1.3, 12);
    expect(law.at(300)).toBeCloseTo(0.5 * 300 ** 1.3, 9);
  });

  it("draws a picture that stands alone, with the exponent", async () => {
    const svg = await drawCurve({ x: "rows", y: "seconds", points });
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" role="img"/);
    expect(svg).toContain('aria-label="seconds: exponent 1.30 of rows"');
    for (const [, name] of svg.matchAll(/var\((--\w+)\)/g)) expect(svg).toContain(`${name}:#`);
  });
});
