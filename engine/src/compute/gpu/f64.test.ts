/**
 * Arithmetic of f64 by integers against JavaScript's own, bit for bit, and e^x and the logarithm against the kernels'.
 * On SwiftShader; `DISTILLERY_GPU_TESTS=full` takes many more numbers.
 */

import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementary, ROUNDING } from "../../shaders/elementary.ts";
import { F64, f64Literal } from "../../shaders/f64.ts";
import { ORDER, SQUARE_ROOT, WHOLE } from "../../shaders/f64-whole.ts";
import { Arena } from "../arena.ts";
import { kernelsOf } from "../kernels.ts";
import { number } from "./testing/f64-numbers.ts";
import { runOnce } from "./testing/run-once.ts";
import { sharedDevice } from "./testing/shared-device.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const device = sharedDevice();

const SIZE = 2000;

const shaderOf = (code: string, action: string): string => /* wgsl */ `
${F64}
${code}
@group(0) @binding(0) var<storage, read> pairs: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  if (thread.x >= ${SIZE}u) { return; }
  let a = pairs[thread.x].xy;
  let b = pairs[thread.x].zw;
  out[thread.x] = ${action};
}
`;

/** What the device makes of pairs. */
async function results(shader: string, pairs: Float64Array): Promise<Float64Array> {
  const on = await device();
  const found = await runOnce(on, {
    shader,
    uniform: null,
    inputs: [pairs],
    outputBytes: 8 * SIZE,
    groups: [Math.ceil(SIZE / 64)],
  });
  return new Float64Array(found);
}

const bitsOf = (value: number): string =>
  Buffer.from(Float64Array.of(value).buffer).reverse().toString("hex");

/** Of random pairs, each result beside the CPU's. */
async function check(
  shader: string,
  expected: (a: number, b: number) => number,
  drawn: fc.Arbitrary<number> = number,
): Promise<void> {
  const pair = fc.tuple(drawn, drawn);
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: SIZE, maxLength: SIZE }), async (pairs) => {
      const found = await results(shader, Float64Array.from(pairs.flat()));
      pairs.forEach(([a, b], i) => {
        const right = expected(a, b);
        // Whatever left the finite numbers is not asked for.
        if (!Number.isFinite(right)) return;
        if (!Object.is(found[i], right)) {
          expect.fail(`${a}, ${b}: ${bitsOf(found[i]!)} and not ${bitsOf(right)}`);
        }
      });
    }),
    { numRuns: isFull ? 100 : 2, seed: 3, endOnFailure: true },
  );
}

const kernels = kernelsOf(Arena.create());

describe.skipIf(why !== null)(`f64 by integers (${why ?? "SwiftShader"})`, () => {
  it("adds, subtracts and multiplies", async () => {
    await check(shaderOf("", "plus(a, b)"), (a, b) => a + b);
    await check(shaderOf("", "minus(a, b)"), (a, b) => a - b);
    await check(shaderOf("", "times(a, b)"), (a, b) => a * b);
  });

  it("divides", async () => {
    await check(
      shaderOf("", `over(a, select(b, ${f64Literal(3)}, isZero(b)))`),
      (a, b) => a / (b === 0 ? 3 : b),
    );
  });

  it("rounds to f32 and to whole numbers", async () => {
    const single = "vec2<u32>(toSingle(a), 0u)";
    const words = Uint32Array.of(0, 0);
    const floats = new Float32Array(words.buffer);
    await check(shaderOf("", single), (a) => {
      floats[0] = a;
      return new Float64Array(words.buffer)[0]!;
    });
    await check(shaderOf("", "fromSingle(toSingle(a))"), (a) => {
      const rounded = Math.fround(a);
      return Number.isFinite(rounded) ? rounded : Number.NaN;
    });
    await check(shaderOf("", `plus(times(a, b), ${ROUNDING})`), (a, b) => a * b + 6755399441055744);
  });

  it("takes square roots", async () => {
    const positive = fc.oneof(number, fc.nat(2 ** 31)).map(Math.abs);
    const code = ORDER + SQUARE_ROOT;
    await check(shaderOf(code, "squareRoot(a)"), (a) => Math.sqrt(a), positive);
  });

  it("adds whole numbers and orders numbers", async () => {
    const most = 2 ** 52;
    const whole = fc.oneof(
      fc.integer({ min: -most, max: most }),
      fc.integer({ min: -9, max: 9 }),
      fc.constantFrom(0, 2 ** 32, -(2 ** 32), 2 ** 32 - 1, most, -most),
    );
    const sum = "fromWhole(wholePlus(toWhole(a), toWhole(b)))";
    await check(shaderOf(WHOLE, sum), (a, b) => a + b, whole);
    const least = `select(b, a, isBelow(ordered(a), ordered(b)))`;
    const signed = number.filter((value) => !Object.is(value, -0));
    await check(shaderOf(ORDER, least), Math.min, signed);
  });

  const exponent = fc.oneof(
    fc.double({ min: -720, max: 709.7, noNaN: true }),
    fc.double({ min: -2, max: 2, noNaN: true }),
    fc.constantFrom(0, -0, 1, -1, 708, -708, -709, 709, 0.5 * Math.LN2, 5e-324),
    number.map((value) => (Math.abs(value) < 709 ? value : 1 / value)),
  );

  // In a loop, and one step after another, as GPUs have it: that takes a software device seconds to compile.
  const forms = isFull ? [true, false] : [true];

  it.each(forms)("has the kernels' e^x (compact: %s)", async (isCompact) => {
    const code = elementary(isCompact);
    await check(shaderOf(code, "exponential(a)"), (a) => kernels.exp(a), exponent);
  });

  it.each(forms)("has the kernels' logarithm (compact: %s)", async (isCompact) => {
    const positive = fc.oneof(
      number.map(Math.abs),
      fc.double({ min: 0.2, max: 6, noNaN: true }),
      fc.constantFrom(1, 2, Math.SQRT2, Math.SQRT1_2, Number.MIN_VALUE, 2 ** -1022),
    );
    const code = elementary(isCompact, { hasLog: true });
    await check(shaderOf(code, "logarithmOf(a)"), (a) => kernels.log(a), positive);
  });
});
