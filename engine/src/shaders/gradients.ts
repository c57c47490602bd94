/**
 * Gradients of losses, as `kernels/assembly/losses/losses.ts`, to the same bits: rows' scores, targets and weights are f64,
 * gradients pairs of f32, by the number of the row. Numbers are computed by integers (`f64.ts`).
 *
 * A workgroup takes a block of the listed rows. All threads compute gradients, and add them where their order is of no
 * matter (`block-sums.ts`); else what sums them adds one after another in the order of the rows, a sum a thread.
 */

import { blockSums } from "./block-sums.ts";
import { elementary, F64_ONE, LOGISTIC, ROUNDING } from "./elementary.ts";
import { F64, f64Literal } from "./f64.ts";
import { THREADS } from "./histogram.ts";

export type DeviceLoss = "squared" | "logistic" | "softmax" | "softmax_soft";

/** u32 of the uniform of gradients and of logarithms of sums. */
export const GRADIENT_WORDS = 8;
/** Words of a block's sums: Σ|g|, Σh, Σg²/w as f64; the rows; the stamp. */
export const BLOCK_SUM_WORDS = 8;

const SHAPE = /* wgsl */ `
struct Shape {
  /** Rows that are listed. */
  count: u32,
  /** Of the data: what one output's scores lie before the next one's. */
  rows: u32,
  output: u32,
  classes: u32,
  isWeighted: u32,
  stamp: u32,
  /** Of a softmax: classes / (classes - 1). */
  factor: vec2<u32>,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> list: array<u32>;
/** An output's after the other's. */
@group(0) @binding(2) var<storage, read> scores: array<vec2<u32>>;
`;

/** Gradient and hessian of a row, both before its weight. */
const LOSSES: Readonly<Record<DeviceLoss, (isCompact: boolean) => string>> = {
  squared: () => /* wgsl */ `
fn slopesOf(row: u32, score: vec2<u32>) -> array<vec2<u32>, 2> {
  return array<vec2<u32>, 2>(minus(score, targets[row]), ${F64_ONE});
}
`,
  logistic: (isCompact) => /* wgsl */ `
${elementary(isCompact)}
${LOGISTIC}
fn slopesOf(row: u32, score: vec2<u32>) -> array<vec2<u32>, 2> {
  let p = logistic(score);
  return array<vec2<u32>, 2>(minus(p, targets[row]), times(p, minus(${F64_ONE}, p)));
}
`,
  softmax: softmax(`select(vec2<u32>(0u, 0u), ${F64_ONE}, isOwn(targets[row]))`),
  softmax_soft: softmax("targets[row * shape.classes + shape.output]"),
};

/** @param target of a row and the class, by its words */
function softmax(target: string): (isCompact: boolean) => string {
  return (isCompact) => /* wgsl */ `
${elementary(isCompact)}
@group(0) @binding(7) var<storage, read> logSums: array<vec2<u32>>;

fn isOwn(label: vec2<u32>) -> bool {
  let own = minus(vec2<u32>(shape.output, 0x43380000u), ${ROUNDING});
  return label.x == own.x && label.y == own.y;
}

fn slopesOf(row: u32, score: vec2<u32>) -> array<vec2<u32>, 2> {
  let p = exponential(minus(score, logSums[row]));
  var hessian = times(times(shape.factor, p), minus(${F64_ONE}, p));
  // A probability may be rounded to more than 1.
  if ((hessian.y >> 31u) == 1u) { hessian = vec2<u32>(0u, 0u); }
  return array<vec2<u32>, 2>(minus(p, ${target}), hessian);
}
`;
}

/**
 * Workgroups: one a block.
 *
 * @param block rows of a block
 * @param spread whether Σg²/w is summed as well
 * @param isCompact see `elementary.ts`
 */
export const gradientsShader = (
  loss: DeviceLoss,
  block: number,
  { spread, isCompact }: { readonly spread: boolean; readonly isCompact: boolean },
): string => /* wgsl */ `
${F64}
${SHAPE}
@group(0) @binding(3) var<storage, read> targets: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> gradients: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<u32>;

${LOSSES[loss](isCompact)}

var<workgroup> pairs: array<vec2<u32>, ${THREADS}>;
${spread ? `var<workgroup> squares: array<vec2<u32>, ${THREADS}>;` : ""}
${blockSums(2, block)}

/** Threads that sum are of different subgroups. */
const APART = 64u;
const SUMS = ${spread ? 3 : 2}u;

/** Size of the gradient, or the hessian. */
fn valueOf(pair: vec2<u32>, which: u32) -> u32 { return select(pair.y, pair.x & 0x7fffffffu, which == 0u); }

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let begin = workgroup.x * ${block}u;
  let end = min(begin + ${block}u, shape.count);
  let own = workgroup.x * ${BLOCK_SUM_WORDS}u;
  beginSums(thread);
  for (var i = begin + thread; i < end; i += ${THREADS}u) {
    let row = list[i];
    var slopes = slopesOf(row, scores[shape.output * shape.rows + row]);
    if (shape.isWeighted == 1u) {
      let weight = weights[row];
      for (var k = 0u; k < 2u; k++) { slopes[k] = times(slopes[k], weight); }
    }
    let pair = vec2<u32>(toSingle(slopes[0]), toSingle(slopes[1]));
    gradients[row] = pair;
    for (var k = 0u; k < 2u; k++) { noteSingle(k, valueOf(pair, k)); }
  }
  var inOrder = ${spread ? "4u" : "0u"};
  for (var k = 0u; k < 2u; k++) {
    let unit = unitOf(k, thread);
    if (unit == NO_UNIT) { inOrder |= 1u << k; } else {
      var part = vec2<u32>(0u, 0u);
      for (var i = begin + thread; i < end; i += ${THREADS}u) {
        part = addUnits(part, inUnits(valueOf(gradients[list[i]], k), unit));
      }
      let whole = wholeSum(part, unit, thread);
      if (!wasWhole()) { inOrder |= 1u << k; } else if (thread == 0u) {
        sums[own + 2u * k] = whole.x;
        sums[own + 2u * k + 1u] = whole.y;
      }
    }
  }
  if (thread == 0u) {
    sums[own + 6u] = end - begin;
    sums[own + 7u] = shape.stamp;
  }
  if (inOrder == 0u) { return; }
  let which = thread / APART;
  let adds = thread % APART == 0u && which < SUMS && ((inOrder >> which) & 1u) == 1u;
  var sum = vec2<u32>(0u, 0u);
  for (var first = begin; first < end; first += ${THREADS}u) {
    let i = first + thread;
    if (i < end) {
      let row = list[i];
      let pair = gradients[row];
      pairs[thread] = pair;
      ${
        spread
          ? /* wgsl */ `
      let g = fromSingle(pair.x);
      var square = times(g, g);
      if (shape.isWeighted == 1u) {
        let weight = weights[row];
        // Rows without weight have no say.
        if (isZero(weight)) { square = vec2<u32>(0u, 0u); } else { square = over(square, weight); }
      }
      squares[thread] = square;`
          : ""
      }
    }
    workgroupBarrier();
    if (adds) {
      let count = min(${THREADS}u, end - first);
      for (var j = 0u; j < count; j++) {
        var value = fromSingle(valueOf(pairs[j], which));
        ${spread ? "if (which == 2u) { value = squares[j]; }" : ""}
        sum = plus(sum, value);
      }
    }
    workgroupBarrier();
  }
  if (adds) {
    sums[own + 2u * which] = sum.x;
    sums[own + 2u * which + 1u] = sum.y;
  }
}
`;

/** Threads: one a listed row. log Σ exp of its scores. */
export const logSumsShader = (isCompact: boolean): string => /* wgsl */ `
${F64}
${SHAPE}
@group(0) @binding(3) var<storage, read_write> logSums: array<vec2<u32>>;
${elementary(isCompact, { hasLog: true })}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(global_invocation_id) thread: vec3<u32>,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  for (var i = thread.x; i < shape.count; i += workgroups.x * ${THREADS}u) {
    let row = list[i];
    var most = scores[row];
    for (var k = 1u; k < shape.classes; k++) {
      let score = scores[k * shape.rows + row];
      if (isAbove(score, most)) { most = score; }
    }
    var sum = ${f64Literal(0)};
    for (var k = 0u; k < shape.classes; k++) {
      sum = plus(sum, exponential(minus(scores[k * shape.rows + row], most)));
    }
    logSums[row] = plus(most, logarithmOf(sum));
  }
}
`;

/** u32 of the uniform of QUANTISE: rows, three unused ones, the scales (f64) of gradients and of hessians. */
export const QUANTISE_WORDS = 8;

/** Threads: one a listed row. Gradients in whole units, as histograms add them: hessian, gradient. */
export const QUANTISE = /* wgsl */ `
${F64}
struct Shape {
  count: u32,
  unused0: u32,
  unused1: u32,
  unused2: u32,
  gradientScale: vec2<u32>,
  hessianScale: vec2<u32>,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read> gradients: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> packed: array<vec2<u32>>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(global_invocation_id) thread: vec3<u32>,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  for (var i = thread.x; i < shape.count; i += workgroups.x * ${THREADS}u) {
    let row = list[i];
    let pair = gradients[row];
    var units: array<u32, 2>;
    for (var k = 0u; k < 2u; k++) {
      let isGradient = k == 1u;
      let value = fromSingle(select(pair.y, pair.x, isGradient));
      let scale = select(shape.hessianScale, shape.gradientScale, isGradient);
      units[k] = plus(times(value, scale), ${ROUNDING}).x;
    }
    packed[row] = vec2<u32>(units[0], units[1]);
  }
}
`;
