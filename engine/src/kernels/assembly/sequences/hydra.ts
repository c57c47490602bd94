/**
 * Counts of competing kernels on one sequence (Dempster, Schmidt & Webb 2023, Hydra, §3.2).
 *
 * At each step the kernels of a group compete: the one with the largest output adds that output to
 * its soft count, the one with the smallest adds 1 to its hard count; of equal ones the first.
 * Outputs are taken of four steps at a time; all sums are in the order of steps.
 */

/** Kernels of a group. */
const COMPETITORS: i32 = 8;
/** Weights of a kernel. */
const WEIGHTS: i32 = 9;

/**
 * One group on one line.
 *
 * @param x f32, the first step of the line; zero for 4 × dilation steps before it and, from the number
 *   of steps rounded up to a multiple of 4, behind it
 * @param weights f32 × 8 × 9
 * @param scratch 16 × 72 + 32 bytes
 * @param counts f64 × 16, zeroed: soft counts, then hard ones
 */
function compete(
  x: usize,
  steps: i32,
  dilation: i32,
  weights: usize,
  scratch: usize,
  counts: usize,
): void {
  for (let i: usize = 0; i < 72; i++) {
    v128.store(scratch + (i << 4), v128.load32_splat(weights + (i << 2)));
  }
  const winners = scratch + 1152;
  const values = winners + 16;
  const shift = (<usize>dilation) << 2;
  for (let t = 0; t < steps; t += 4) {
    const at = x + ((<usize>t) << 2);
    const x0 = v128.load(at - 4 * shift);
    const x1 = v128.load(at - 3 * shift);
    const x2 = v128.load(at - 2 * shift);
    const x3 = v128.load(at - shift);
    const x4 = v128.load(at);
    const x5 = v128.load(at + shift);
    const x6 = v128.load(at + 2 * shift);
    const x7 = v128.load(at + 3 * shift);
    const x8 = v128.load(at + 4 * shift);
    let largest = f32x4.splat(0);
    let smallest = f32x4.splat(0);
    let first = i32x4.splat(0);
    let last = i32x4.splat(0);
    let w = scratch;
    for (let kernel = 0; kernel < COMPETITORS; kernel++) {
      let even = f32x4.mul(x0, v128.load(w));
      let odd = f32x4.mul(x1, v128.load(w, 16));
      even = f32x4.add(even, f32x4.mul(x2, v128.load(w, 32)));
      odd = f32x4.add(odd, f32x4.mul(x3, v128.load(w, 48)));
      even = f32x4.add(even, f32x4.mul(x4, v128.load(w, 64)));
      odd = f32x4.add(odd, f32x4.mul(x5, v128.load(w, 80)));
      even = f32x4.add(even, f32x4.mul(x6, v128.load(w, 96)));
      odd = f32x4.add(odd, f32x4.mul(x7, v128.load(w, 112)));
      const output = f32x4.add(f32x4.add(even, odd), f32x4.mul(x8, v128.load(w, 128)));
      w += 144;
      if (kernel === 0) {
        largest = output;
        smallest = output;
        continue;
      }
      const number = i32x4.splat(kernel);
      const more = f32x4.gt(output, largest);
      const less = f32x4.lt(output, smallest);
      largest = v128.bitselect(output, largest, more);
      smallest = v128.bitselect(output, smallest, less);
      first = v128.bitselect(number, first, more);
      last = v128.bitselect(number, last, less);
    }
    // Four winners and four losers, in one vector of eight.
    v128.store(winners, i16x8.narrow_i32x4_u(first, last));
    v128.store(values, largest);
    const lanes = min(4, steps - t);
    for (let lane: usize = 0; lane < <usize>lanes; lane++) {
      const soft = counts + ((<usize>load<u16>(winners + (lane << 1))) << 3);
      store<f64>(soft, load<f64>(soft) + <f64>load<f32>(values + (lane << 2)));
      const hard = counts + 64 + ((<usize>load<u16>(winners + (lane << 1), 8)) << 3);
      store<f64>(hard, load<f64>(hard) + 1);
    }
  }
}

/**
 * The counts of all groups of one representation at one dilation.
 *
 * @param lines f32: `pad` + steps, rounded up to a multiple of 4, + `pad` a channel, as in rocket.ts
 * @param members i32 × groups × `memberCount`: channels that a group adds up; of one channel, that alone
 * @param weights f32 × groups × 8 × 9
 * @param scratch 1184 + 128 bytes, then f32 × stride
 * @param out f32 × groups × 8 of soft counts, and as many of hard ones behind them
 */
export function hydraCounts(
  lines: usize,
  stride: i32,
  pad: i32,
  steps: i32,
  dilation: i32,
  groups: i32,
  members: usize,
  memberCount: i32,
  weights: usize,
  scratch: usize,
  out: usize,
): void {
  const counts = scratch + 1184;
  const sum = counts + 128;
  const half = (<usize>(groups * COMPETITORS)) << 2;
  for (let group = 0; group < groups; group++) {
    let line = lines;
    if (memberCount > 1) {
      line = sum;
      memory.fill(sum, 0, (<usize>stride) << 2);
      for (let m = 0; m < memberCount; m++) {
        const channel = load<i32>(members + ((<usize>(group * memberCount + m)) << 2));
        const from = lines + ((<usize>(channel * stride)) << 2);
        for (let at: usize = 0; at < (<usize>stride) << 2; at += 16) {
          v128.store(sum + at, f32x4.add(v128.load(sum + at), v128.load(from + at)));
        }
      }
    }
    memory.fill(counts, 0, 128);
    const own = weights + ((<usize>(group * COMPETITORS * WEIGHTS)) << 2);
    compete(line + ((<usize>pad) << 2), steps, dilation, own, scratch, counts);
    for (let kernel: usize = 0; kernel < <usize>COMPETITORS; kernel++) {
      const to = out + ((<usize>(group * COMPETITORS) + kernel) << 2);
      store<f32>(to, <f32>load<f64>(counts + (kernel << 3)));
      store<f32>(to + half, <f32>load<f64>(counts + 64 + (kernel << 3)));
    }
  }
}
