/**
 * Pooling of a kernel's outputs over the steps of a sequence, one feature for each bias: MiniRocket's
 * share of steps above it (Dempster, Schmidt & Webb 2021, §3.2), and MultiRocket's four operators
 * (Tan et al. 2022, §3.3).
 */

/** Steps whose sums are gathered in f32 and i32 before they are added to f64. */
const BLOCK: i32 = 2048;

/** out = x + y, in whole vectors. */
export function add2(x: usize, y: usize, steps: i32, out: usize): void {
  for (let at: usize = 0; at < (<usize>steps) << 2; at += 16) {
    v128.store(out + at, f32x4.add(v128.load(x + at), v128.load(y + at)));
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

/**
 * Shares of the steps at which a value is above each of 16 biases, one a lane: nothing is summed over
 * lanes, which is much of the time where steps are few.
 */
function sharesAbove16(values: usize, steps: i32, biases: usize, out: usize): void {
  const bias0 = v128.load(biases);
  const bias1 = v128.load(biases, 16);
  const bias2 = v128.load(biases, 32);
  const bias3 = v128.load(biases, 48);
  let count0 = i32x4.splat(0);
  let count1 = i32x4.splat(0);
  let count2 = i32x4.splat(0);
  let count3 = i32x4.splat(0);
  const end = values + ((<usize>steps) << 2);
  for (let at = values; at < end; at += 4) {
    const value = v128.load32_splat(at);
    count0 = i32x4.sub(count0, f32x4.gt(value, bias0));
    count1 = i32x4.sub(count1, f32x4.gt(value, bias1));
    count2 = i32x4.sub(count2, f32x4.gt(value, bias2));
    count3 = i32x4.sub(count3, f32x4.gt(value, bias3));
  }
  const all = f32x4.splat(<f32>steps);
  v128.store(out, f32x4.div(f32x4.convert_i32x4_s(count0), all));
  v128.store(out, f32x4.div(f32x4.convert_i32x4_s(count1), all), 16);
  v128.store(out, f32x4.div(f32x4.convert_i32x4_s(count2), all), 32);
  v128.store(out, f32x4.div(f32x4.convert_i32x4_s(count3), all), 48);
}

/** @param values f32 × `steps` rounded up to a multiple of 4: scratch */
export function sharesAbove(
  x: usize,
  y: usize,
  steps: i32,
  biases: usize,
  count: i32,
  values: usize,
  out: usize,
): void {
  let done = 0;
  if (count >= 16) {
    add2(x, y, (steps + 3) & ~3, values);
    for (; done + 16 <= count; done += 16) {
      sharesAbove16(values, steps, biases + ((<usize>done) << 2), out + ((<usize>done) << 2));
    }
  }
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

export function pool(
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
