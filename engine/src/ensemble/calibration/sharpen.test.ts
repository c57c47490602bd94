import fc from "fast-check";
import { expect, it } from "vitest";
import { marginsOf, probabilitiesOf } from "../margins.ts";
import { type Calibration, calibrate } from "./calibration.ts";
import { sharpened } from "./sharpen.ts";

const sharpness = fc.double({ min: 0.5, max: 2, noNaN: true });
const probability = fc.double({ min: 0.01, max: 0.99, noNaN: true });

/** The same by its definition. */
function slowly(calibration: Calibration | null, said: Float64Array, by: number, outputs: number) {
  const own = calibration ? calibrate(calibration, said, outputs) : said;
  return probabilitiesOf(
    marginsOf(own, outputs).map((margin) => by * margin),
    outputs,
  );
}

function expectAlike(
  calibration: Calibration | null,
  said: Float64Array,
  by: number,
  outputs: number,
) {
  const sharp = sharpened(calibration, by, outputs);
  const given = sharp ? calibrate(sharp, said, outputs) : said;
  for (const [i, p] of slowly(calibration, said, by, outputs).entries()) {
    expect(given[i]).toBeCloseTo(p, 9);
  }
}

it("multiplies the margins of two classes", () => {
  const scale = fc.double({ min: 0.3, max: 3, noNaN: true });
  const bias = fc.double({ min: -2, max: 2, noNaN: true });
  fc.assert(
    fc.property(sharpness, scale, bias, fc.array(probability), (by, ...[scaled, shift, said]) => {
      const own = Float64Array.from(said);
      expectAlike(null, own, by, 1);
      expectAlike({ kind: "temperature", scale: scaled, bias: shift }, own, by, 1);
    }),
  );
});

it("multiplies those of several, which are normalised", () => {
  const raw = fc.tuple(probability, probability, probability);
  fc.assert(
    fc.property(sharpness, raw, (by, parts) => {
      const sum = parts[0] + parts[1] + parts[2];
      const own = Float64Array.from(parts, (part) => part / sum);
      expectAlike(null, own, by, 3);
      expectAlike({ kind: "temperature", scale: 1.3, bias: 0 }, own, by, 3);
    }),
  );
});

it("moves the knots of curves", () => {
  const x = [0.1, 0.4, 0.7];
  const curve = { x, y: [0.05, 0.5, 0.9] };
  fc.assert(
    fc.property(sharpness, (by) => {
      expectAlike({ kind: "isotonic", curves: [curve] }, Float64Array.from(x), by, 1);
      const curves = [curve, { x, y: [0.2, 0.3, 0.6] }, { x, y: [0.01, 0.4, 0.8] }];
      expectAlike({ kind: "isotonic", curves }, Float64Array.from([0.1, 0.4, 0.7]), by, 3);
      expectAlike({ kind: "isotonic", curves }, Float64Array.from([0.7, 0.1, 0.1]), by, 3);
    }),
  );
});

it("leaves a calibration that is to be as sure as it is", () => {
  expect(sharpened(null, 1, 1)).toBeNull();
});
