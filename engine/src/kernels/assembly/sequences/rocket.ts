/**
 * Features of one sequence by the 84 kernels of MiniRocket (Dempster, Schmidt & Webb 2021, §3.1-3.2)
 * and the four pooling operators of MultiRocket (Tan et al. 2022, §3.2-3.3).
 *
 * A kernel has nine weights at distances of a dilation d: 2 at three places a < b < c, -1 at the
 * other six. With α(t) = -Σ x(t + (i - 4) d) over all nine and γ = 3x, its output is
 * α(t) + γ(t + (a - 4) d) + γ(t + (b - 4) d) + γ(t + (c - 4) d): α is computed once a dilation, the
 * first three terms once for all kernels that share a and b.
 *
 * Sample t of channel c lies at 4 (c stride + pad + t) bytes of `series`, and three times it at the
 * same place of `tripled`; both are zero around the samples, for 4 × the widest dilation before them
 * and, counted from the length rounded up to a multiple of 4, after them.
 */

import { add2, pool, sharesAbove } from "./rocket-pool";

/** α of all steps, in whole vectors of four. */
function sumShifted(x: usize, steps: i32, dilation: i32, out: usize): void {
  const shift = (<usize>dilation) << 2;
  for (let t = 0; t < steps; t += 4) {
    const at = x + ((<usize>t) << 2);
    let sum = f32x4.neg(v128.load(at));
    sum = f32x4.sub(sum, v128.load(at - 4 * shift));
    sum = f32x4.sub(sum, v128.load(at - 3 * shift));
    sum = f32x4.sub(sum, v128.load(at - 2 * shift));
    sum = f32x4.sub(sum, v128.load(at - shift));
    sum = f32x4.sub(sum, v128.load(at + shift));
    sum = f32x4.sub(sum, v128.load(at + 2 * shift));
    sum = f32x4.sub(sum, v128.load(at + 3 * shift));
    sum = f32x4.sub(sum, v128.load(at + 4 * shift));
    v128.store(out + ((<usize>t) << 2), sum);
  }
}

/** out = (x + y) + z, in whole vectors. */
function add3(x: usize, y: usize, z: usize, steps: i32, out: usize): void {
  for (let at: usize = 0; at < (<usize>steps) << 2; at += 16) {
    const sum = f32x4.add(v128.load(x + at), v128.load(y + at));
    v128.store(out + at, f32x4.add(sum, v128.load(z + at)));
  }
}

/** The output of one kernel, summed over the channels of its combination. */
function combine(
  alphas: usize,
  alphaStride: i32,
  tripled: usize,
  stride: i32,
  pad: i32,
  dilation: i32,
  a: i32,
  b: i32,
  c: i32,
  members: usize,
  count: i32,
  steps: i32,
  out: usize,
): void {
  const shiftA = (a - 4) * dilation;
  const shiftB = (b - 4) * dilation;
  const shiftC = (c - 4) * dilation;
  for (let member = 0; member < count; member++) {
    const channel = load<i32>(members + ((<usize>member) << 2));
    const alpha = alphas + ((<usize>(channel * alphaStride)) << 2);
    const middle = channel * stride + pad;
    const x = tripled + ((<usize>(middle + shiftA)) << 2);
    const y = tripled + ((<usize>(middle + shiftB)) << 2);
    const z = tripled + ((<usize>(middle + shiftC)) << 2);
    for (let at: usize = 0; at < (<usize>steps) << 2; at += 16) {
      let sum = f32x4.add(v128.load(alpha + at), v128.load(x + at));
      sum = f32x4.add(sum, v128.load(y + at));
      sum = f32x4.add(sum, v128.load(z + at));
      if (member > 0) sum = f32x4.add(v128.load(out + at), sum);
      v128.store(out + at, sum);
    }
  }
}

/**
 * The outputs of one kernel at all steps (and at up to three more, to whole vectors), for the biases
 * to be fitted on.
 *
 * @param members i32 × count: channels of its combination
 * @param scratch f32 × channels × `steps` rounded up to a multiple of 4
 */
export function rocketOutputs(
  series: usize,
  tripled: usize,
  stride: i32,
  pad: i32,
  steps: i32,
  dilation: i32,
  a: i32,
  b: i32,
  c: i32,
  members: usize,
  count: i32,
  scratch: usize,
  out: usize,
): void {
  const whole = (steps + 3) & ~3;
  for (let member = 0; member < count; member++) {
    const channel = load<i32>(members + ((<usize>member) << 2));
    const x = series + ((<usize>(channel * stride + pad)) << 2);
    sumShifted(x, whole, dilation, scratch + ((<usize>(channel * whole)) << 2));
  }
  combine(scratch, whole, tripled, stride, pad, dilation, a, b, c, members, count, whole, out);
}

/**
 * All features of one sequence.
 *
 * @param steps its length, at least 1
 * @param dilations i32 each; @param perDilation i32 each: biases a kernel
 * @param combinationSizes i32 × dilations × 84: channels that a kernel reads
 * @param combinationChannels i32: which ones, kernel after kernel
 * @param biases f32, in the order of the features: by dilation, kernel, bias
 * @param alternate 1 = every second kernel is pooled without the steps that reach beyond the ends
 *   (where there are others)
 * @param operators 1 = shares above the bias alone; 4 = the operators of MultiRocket
 * @param step f32 from the first feature of an operator to that of the next
 * @param scratch 112 bytes, then f32 × (channels + 3) × `steps` rounded up to a multiple of 4
 * @param out f32 × operators × step
 */
export function rocketFeatures(
  series: usize,
  tripled: usize,
  channels: i32,
  stride: i32,
  pad: i32,
  steps: i32,
  dilations: usize,
  perDilation: usize,
  dilationCount: i32,
  combinationSizes: usize,
  combinationChannels: usize,
  biases: usize,
  alternate: i32,
  operators: i32,
  step: i32,
  scratch: usize,
  out: usize,
): void {
  const whole = (steps + 3) & ~3;
  const line = (<usize>whole) << 2;
  const sums = scratch;
  const pairs = scratch + 112;
  const values = pairs + line;
  const zeros = values + line;
  const alphas = zeros + line;
  memory.fill(zeros, 0, line);
  let sizes = combinationSizes;
  let members = combinationChannels;
  let feature: usize = 0;
  for (let index = 0; index < dilationCount; index++) {
    const dilation = load<i32>(dilations + ((<usize>index) << 2));
    const count = load<i32>(perDilation + ((<usize>index) << 2));
    const padding = 4 * dilation;
    for (let channel = 0; channel < channels; channel++) {
      const x = series + ((<usize>(channel * stride + pad)) << 2);
      sumShifted(x, whole, dilation, alphas + <usize>channel * line);
    }
    const middle = tripled + ((<usize>pad) << 2);
    let kernel = index;
    for (let a = 0; a < 7; a++) {
      const shiftedA = middle + <usize>(((a - 4) * dilation) << 2);
      for (let b = a + 1; b < 8; b++) {
        const shiftedB = middle + <usize>(((b - 4) * dilation) << 2);
        if (channels === 1) add3(alphas, shiftedA, shiftedB, whole, pairs);
        for (let c = b + 1; c < 9; c++) {
          const inner = alternate !== 0 && (kernel & 1) !== 0 && steps > 2 * padding;
          kernel++;
          const first = inner ? (<usize>padding) << 2 : 0;
          const pooled = inner ? steps - 2 * padding : steps;
          let x = pairs;
          let y = middle + <usize>(((c - 4) * dilation) << 2);
          if (channels > 1) {
            const size = load<i32>(sizes);
            combine(
              alphas,
              whole,
              tripled,
              stride,
              pad,
              dilation,
              a,
              b,
              c,
              members,
              size,
              whole,
              values,
            );
            sizes += 4;
            members += (<usize>size) << 2;
            x = values;
            y = zeros;
          }
          if (operators === 1) {
            sharesAbove(
              x + first,
              y + first,
              pooled,
              biases + feature,
              count,
              values,
              out + feature,
            );
          } else {
            if (channels === 1) add2(x, y, whole, values);
            pool(values + first, pooled, biases + feature, count, out + feature, step, sums);
          }
          feature += (<usize>count) << 2;
        }
      }
    }
  }
}
