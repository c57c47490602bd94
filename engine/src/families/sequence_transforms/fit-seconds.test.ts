/** Prices of families of sequences against measured processor seconds: sines in noise, three classes, WebAssembly on one thread. */

import { expect, it } from "vitest";
import { hydra } from "../hydra/family.ts";
import { minirocket } from "../minirocket/family.ts";
import { multirocket } from "../multirocket/family.ts";
import { multirocketHydra } from "../multirocket_hydra/family.ts";
import { quant } from "../quant/family.ts";
import { shapelets } from "../shapelets/family.ts";
import { ridgeFitSeconds } from "./fit-seconds.ts";

const SIZES = [
  [50, 1, 100],
  [300, 1, 100],
  [300, 10, 100],
  [100, 1, 1000],
  [1000, 1, 100],
  [1000, 1, 300],
] as const;

it.each([
  { family: minirocket, measured: [0.18, 0.39, 0.43, 0.5, 2.04, 2.19] },
  { family: multirocket, measured: [0.34, 1.98, 1.75, 2.42, 7.46, 9.59] },
  { family: hydra, measured: [0.15, 0.35, 0.29, 0.68, 1.46, 2.94] },
  { family: multirocketHydra, measured: [0.32, 1.55, 1.9, 2.82, 7.91, 11.17] },
  { family: shapelets, measured: [0.23, 0.48, 0.99, 0.95, 1.65, 2.81] },
  { family: quant, measured: [0.23, 0.79, 7.03, 1.84, 2.78, 5.47] },
])("$family.id is priced within a factor of two of what it takes", ({ family, measured }) => {
  SIZES.forEach(([rows, channels, steps], i) => {
    const price = family.fitSeconds?.({
      rows,
      task: { kind: "sequence_multiclass", classes: ["a", "b", "c"] },
      features: [],
      sequences: { channels, steps },
    });
    expect(price, `${rows} × ${channels} × ${steps}`).toBeGreaterThan(measured[i] / 2);
    expect(price, `${rows} × ${channels} × ${steps}`).toBeLessThan(measured[i] * 2);
  });
});

it("grows with the squared number of sequences up to that of features, and evenly beyond", () => {
  const of = (rows: number): number =>
    ridgeFitSeconds({ rows, sequences: { channels: 1, steps: 0 } }, [
      { features: 1000, stepSeconds: 1e-9 },
    ]) - ridgeFitSeconds({ rows: 0 }, [{ features: 1000, stepSeconds: 1e-9 }]);
  expect(of(1000) / of(500)).toBeCloseTo(4);
  expect(of(4000) / of(2000)).toBeCloseTo(2);
});
