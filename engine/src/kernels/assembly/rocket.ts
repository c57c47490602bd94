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

/** Steps whose sums are gathered in f32 and i32 before they are added to f64. */
const BLOCK: i32 = 2048;

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

/** out = x + y, in whole vectors. */
function add2(x: usize, y: usize, steps: i32, out: usize): void {
  for (let at: usize = 0; at < (<usize>steps) << 2; at += 16) {
    v128.store(out + at, f32x4.add(v128.load(x + at), v128.load(y + at)));
  }
}

/** out = (x + y) + z, in whole vectors. */
function add3(x: usize, y: usize, z: usize, steps: i32, out: usize): void {
  for (let at: usize = 0; at < (<usize>steps) << 2; at += 16) {
    const sum = f32x4.add(v128.load(x + at), v128.load(y + at));
    v128.store(out + at, f32x4.add(sum, v128.load(z + at)));
  }
}

/** Ones in the first `rest` (0 to 3) lanes. */
function firstLanes(rest: i32): v128 {
  return i32x4.gt_s(i32x4.splat(rest), i32x4(0, 1, 2, 3));
}

function laneSum(counts: v128): i32 {
  return (
    i32x4.extract_lane(counts, 0) +
    i32x4.extract_lane(counts, 1) +
    i32x4.extract_lane(counts, 2) +
    i32x4.extract_lane(counts, 3)
  );
}

function storeShare(out: usize, counts: v128, steps: i32): void {
  store<f32>(out, <f32>(<f64>laneSum(counts) / <f64>steps));
}

/** Shares of the steps at which x + y is above each of four biases. */
function sharesAbove4(x: usize, y: usize, steps: i32, biases: usize, out: usize): void {
  const bias0 = v128.load32_splat(biases);
  const bias1 = v128.load32_splat(biases, 4);
  const bias2 = v128.load32_splat(biases, 8);
  const bias3 = v128.load32_splat(biases, 12);
  let count0 = i32x4.splat(0);
  let count1 = i32x4.splat(0);
  let count2 = i32x4.splat(0);
  let count3 = i32x4.splat(0);
  const end = (<usize>(steps & ~3)) << 2;
  let at: usize = 0;
  for (; at < end; at += 16) {
    const value = f32x4.add(v128.load(x + at), v128.load(y + at));
    count0 = i32x4.sub(count0, f32x4.gt(value, bias0));
    count1 = i32x4.sub(count1, f32x4.gt(value, bias1));
    count2 = i32x4.sub(count2, f32x4.gt(value, bias2));
    count3 = i32x4.sub(count3, f32x4.gt(value, bias3));
  }
  if (steps & 3) {
    const mask = firstLanes(steps & 3);
    const value = f32x4.add(v128.load(x + at), v128.load(y + at));
    count0 = i32x4.sub(count0, v128.and(mask, f32x4.gt(value, bias0)));
    count1 = i32x4.sub(count1, v128.and(mask, f32x4.gt(value, bias1)));
    count2 = i32x4.sub(count2, v128.and(mask, f32x4.gt(value, bias2)));
    count3 = i32x4.sub(count3, v128.and(mask, f32x4.gt(value, bias3)));
  }
  // Sums of the four lanes of each, by halves.
  const even = i32x4.add(
    i8x16.shuffle(count0, count1, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
    i8x16.shuffle(count0, count1, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31),
  );
  const odd = i32x4.add(
    i8x16.shuffle(count2, count3, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
    i8x16.shuffle(count2, count3, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31),
  );
  const sums = i32x4.add(
    i8x16.shuffle(even, odd, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
    i8x16.shuffle(even, odd, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31),
  );
  v128.store(out, f32x4.div(f32x4.convert_i32x4_s(sums), f32x4.splat(<f32>steps)));
}

/** As `sharesAbove4`, of two biases. */
function sharesAbove2(x: usize, y: usize, steps: i32, biases: usize, out: usize): void {
  const bias0 = v128.load32_splat(biases);
  const bias1 = v128.load32_splat(biases, 4);
  let count0 = i32x4.splat(0);
  let count1 = i32x4.splat(0);
  const end = (<usize>(steps & ~3)) << 2;
  let at: usize = 0;
  for (; at < end; at += 16) {
    const value = f32x4.add(v128.load(x + at), v128.load(y + at));
    count0 = i32x4.sub(count0, f32x4.gt(value, bias0));
    count1 = i32x4.sub(count1, f32x4.gt(value, bias1));
  }
  if (steps & 3) {
    const mask = firstLanes(steps & 3);
    const value = f32x4.add(v128.load(x + at), v128.load(y + at));
    count0 = i32x4.sub(count0, v128.and(mask, f32x4.gt(value, bias0)));
    count1 = i32x4.sub(count1, v128.and(mask, f32x4.gt(value, bias1)));
  }
  storeShare(out, count0, steps);
  storeShare(out + 4, count1, steps);
}

/** As `sharesAbove4`, of one bias. */
function sharesAbove1(x: usize, y: usize, steps: i32, biases: usize, out: usize): void {
  const bias = v128.load32_splat(biases);
  let count = i32x4.splat(0);
  const end = (<usize>(steps & ~3)) << 2;
  let at: usize = 0;
  for (; at < end; at += 16) {
    const value = f32x4.add(v128.load(x + at), v128.load(y + at));
    count = i32x4.sub(count, f32x4.gt(value, bias));
  }
  if (steps & 3) {
    const value = f32x4.add(v128.load(x + at), v128.load(y + at));
    count = i32x4.sub(count, v128.and(firstLanes(steps & 3), f32x4.gt(value, bias)));
  }
  storeShare(out, count, steps);
}

function sharesAbove(x: usize, y: usize, steps: i32, biases: usize, count: i32, out: usize): void {
  let done = 0;
  for (; done + 4 <= count; done += 4) {
    sharesAbove4(x, y, steps, biases + ((<usize>done) << 2), out + ((<usize>done) << 2));
  }
  if (done + 2 <= count) {
    sharesAbove2(x, y, steps, biases + ((<usize>done) << 2), out + ((<usize>done) << 2));
    done += 2;
  }
  if (done < count) {
    sharesAbove1(x, y, steps, biases + ((<usize>done) << 2), out + ((<usize>done) << 2));
  }
}

/**
 * Of the outputs at `steps` steps, for up to four biases, one a lane:
 *   share of steps above the bias;
 *   longest stretch: the largest distance between steps below it that follow each other (the first
 *     step counts as one, the last as the end);
 *   mean of output + bias over the steps above (0 where there are none);
 *   mean index of the steps above (-1 where there are none),
 * which is what the authors' code computes. Features of one operator lie `step` f32 apart from the
 * next one's.
 */
function pool4(
  values: usize,
  steps: i32,
  biases: usize,
  count: i32,
  out: usize,
  step: i32,
  scratch: usize,
): void {
  // Unused lanes repeat the first bias and are not stored.
  let bias = v128.load32_splat(biases);
  if (count > 1) bias = f32x4.replace_lane(bias, 1, load<f32>(biases, 4));
  if (count > 2) bias = f32x4.replace_lane(bias, 2, load<f32>(biases, 8));
  if (count > 3) bias = f32x4.replace_lane(bias, 3, load<f32>(biases, 12));
  const sums = scratch;
  const places = scratch + 32;
  const aboves = scratch + 64;
  memory.fill(sums, 0, 96);
  let last = i32x4.splat(0);
  let longest = i32x4.splat(0);
  const one = i32x4.splat(1);
  for (let start = 0; start < steps; start += BLOCK) {
    const end = min(start + BLOCK, steps);
    let sum = f32x4.splat(0);
    let place = i32x4.splat(0);
    let above = i32x4.splat(0);
    let index = i32x4.splat(start);
    for (let t = start; t < end; t++) {
      const value = v128.load32_splat(values + ((<usize>t) << 2));
      const over = f32x4.gt(value, bias);
      const under = f32x4.lt(value, bias);
      above = i32x4.sub(above, over);
      sum = f32x4.add(sum, v128.and(over, f32x4.add(value, bias)));
      place = i32x4.add(place, v128.and(over, index));
      longest = i32x4.max_s(longest, v128.and(under, i32x4.sub(index, last)));
      last = v128.bitselect(index, last, under);
      index = i32x4.add(index, one);
    }
    for (let lane = 0; lane < count; lane++) {
      const at = (<usize>lane) << 3;
      // Lanes are picked in memory: an extraction needs a constant.
      v128.store(scratch + 96, sum);
      store<f64>(
        sums + at,
        load<f64>(sums + at) + <f64>load<f32>(scratch + 96 + ((<usize>lane) << 2)),
      );
      v128.store(scratch + 96, place);
      store<f64>(
        places + at,
        load<f64>(places + at) + <f64>load<u32>(scratch + 96 + ((<usize>lane) << 2)),
      );
      v128.store(scratch + 96, above);
      store<f64>(
        aboves + at,
        load<f64>(aboves + at) + <f64>load<i32>(scratch + 96 + ((<usize>lane) << 2)),
      );
    }
  }
  longest = i32x4.max_s(longest, i32x4.sub(i32x4.splat(steps - 1), last));
  v128.store(scratch + 96, longest);
  const between = (<usize>step) << 2;
  for (let lane = 0; lane < count; lane++) {
    const at = (<usize>lane) << 3;
    const to = out + ((<usize>lane) << 2);
    const above = load<f64>(aboves + at);
    const some = above > 0;
    store<f32>(to, <f32>(above / <f64>steps));
    store<f32>(to + between, <f32>load<i32>(scratch + 96 + ((<usize>lane) << 2)));
    store<f32>(to + 2 * between, some ? <f32>(load<f64>(sums + at) / above) : 0);
    store<f32>(to + 3 * between, some ? <f32>(load<f64>(places + at) / above) : -1);
  }
}

function pool(
  values: usize,
  steps: i32,
  biases: usize,
  count: i32,
  out: usize,
  step: i32,
  scratch: usize,
): void {
  for (let done = 0; done < count; done += 4) {
    const at = (<usize>done) << 2;
    pool4(values, steps, biases + at, min(4, count - done), out + at, step, scratch);
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
            sharesAbove(x + first, y + first, pooled, biases + feature, count, out + feature);
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
