import { describe, expect, it } from "vitest";
import { readFigures } from "../testing/figures.ts";
import { decomposeStl, seasonalStrength } from "./stl.ts";

interface StlFigures {
  readonly stl: readonly {
    readonly name: string;
    readonly values: readonly number[];
    readonly season: number;
    readonly window: number;
    readonly degree: 0 | 1;
    readonly robustPasses: number;
    readonly parts: Readonly<Record<"season" | "trend" | "remainder", readonly number[]>>;
  }[];
}

const FIGURES = readFigures<StlFigures>("stl_figures");

describe("STL", () => {
  it.each(FIGURES.stl)("is that of statsmodels: $name", (figure) => {
    const parts = decomposeStl(Float64Array.from(figure.values), {
      seasonLength: figure.season,
      seasonalWindow: figure.window,
      seasonalDegree: figure.degree,
      robustPasses: figure.robustPasses,
    });
    for (const part of ["season", "trend", "remainder"] as const) {
      parts[part].forEach((value, t) => {
        expect(value).toBeCloseTo(figure.parts[part][t], 6);
      });
    }
  });

  it("takes a long series by fewer fits, all but as exactly", () => {
    const values = Float64Array.from(
      { length: 12_000 },
      (_, t) => 10 + t / 1000 + 3 * Math.sin((2 * Math.PI * t) / 168) + Math.sin(t * t),
    );
    const parts = decomposeStl(values, { seasonLength: 168, seasonalWindow: 11 });
    let worst = 0;
    for (let t = 168; t < 11_800; t++) {
      worst = Math.max(worst, Math.abs(parts.trend[t] - 10 - t / 1000));
      const whole = parts.season[t] + parts.trend[t] + parts.remainder[t];
      expect(Math.abs(whole - values[t])).toBeLessThan(1e-9);
    }
    expect(worst).toBeLessThan(0.3);
    expect(seasonalStrength(parts)).toBeGreaterThan(0.8);
  });
});
