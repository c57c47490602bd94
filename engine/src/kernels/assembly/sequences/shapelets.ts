/**
 * Distances between dilated shapelets and the windows of one sequence (Guillaume, Vrain & Elloumi, "Random
 * dilated shapelet transform: a new approach for time series shapelets", 2022, §3): of each shapelet the
 * least one, the first step where it is, and at how many steps it is below the shapelet's threshold.
 *
 * Four windows are looked at a time; sums are in the order of channels and steps.
 */

/**
 * Means and inverse deviations of the windows of one channel, those of the last windows repeated up to a
 * whole vector by what lies behind the line.
 *
 * @param flat windows that deviate by less, as a share of their mean's size, are only centred
 */
function windowScales(
  line: usize,
  windows: i32,
  length: i32,
  shift: usize,
  flat: f32,
  means: usize,
  inverses: usize,
): void {
  const share = f32x4.splat(1 / <f32>length);
  const one = f32x4.splat(1);
  for (let t = 0; t < windows; t += 4) {
    const offset = (<usize>t) << 2;
    const at = line + offset;
    let sum = f32x4.splat(0);
    for (let i = 0; i < length; i++) sum = f32x4.add(sum, v128.load(at + <usize>i * shift));
    const mean = f32x4.mul(sum, share);
    let squares = f32x4.splat(0);
    for (let i = 0; i < length; i++) {
      const away = f32x4.sub(v128.load(at + <usize>i * shift), mean);
      squares = f32x4.add(squares, f32x4.mul(away, away));
    }
    const deviation = f32x4.sqrt(f32x4.mul(squares, share));
    const varies = f32x4.gt(deviation, f32x4.mul(f32x4.splat(flat), f32x4.abs(mean)));
    v128.store(means + offset, mean);
    v128.store(inverses + offset, v128.bitselect(f32x4.div(one, deviation), one, varies));
  }
}

/**
 * All shapelets of one dilation on one sequence.
 *
 * @param lines f32: `stride` a channel, the last value repeated from the last step on
 * @param windows of the sequence, at least 1
 * @param starts i32 × (count + 1): of each shapelet, its first channel among `members`
 * @param members i32: channels, by shapelet
 * @param weights f32 × `length` a member
 * @param normalised u8 × count: 1 where windows are scaled before they are compared
 * @param thresholds f32 × count
 * @param scratch f32 × 2 × channels × windows, rounded up to a multiple of 4
 * @param out f32 × count × 3: distance, step, number of steps
 */
export function shapeletFeatures(
  lines: usize,
  stride: i32,
  channels: i32,
  windows: i32,
  length: i32,
  dilation: i32,
  flat: f32,
  count: i32,
  starts: usize,
  members: usize,
  weights: usize,
  normalised: usize,
  thresholds: usize,
  scratch: usize,
  out: usize,
): void {
  const shift = (<usize>dilation) << 2;
  const wide = (<usize>((windows + 3) & ~3)) << 2;
  for (let channel = 0; channel < channels; channel++) {
    const line = lines + ((<usize>(channel * stride)) << 2);
    const means = scratch + <usize>(2 * channel) * wide;
    windowScales(line, windows, length, shift, flat, means, means + wide);
  }
  for (let s = 0; s < count; s++) {
    const first = load<i32>(starts + ((<usize>s) << 2));
    const end = load<i32>(starts + ((<usize>(s + 1)) << 2));
    const scaled = load<u8>(normalised + <usize>s) !== 0;
    const threshold = f32x4.splat(load<f32>(thresholds + ((<usize>s) << 2)));
    let least = f32x4.splat(f32.MAX_VALUE);
    let where = i32x4.splat(0);
    let below = i32x4.splat(0);
    let steps = i32x4(0, 1, 2, 3);
    const last = i32x4.splat(windows);
    for (let t = 0; t < windows; t += 4) {
      const offset = (<usize>t) << 2;
      let distance = f32x4.splat(0);
      for (let m = first; m < end; m++) {
        const channel = load<i32>(members + ((<usize>m) << 2));
        const at = lines + ((<usize>(channel * stride)) << 2) + offset;
        const own = weights + ((<usize>(m * length)) << 2);
        if (scaled) {
          const means = scratch + <usize>(2 * channel) * wide + offset;
          const mean = v128.load(means);
          const inverse = v128.load(means + wide);
          for (let i = 0; i < length; i++) {
            const value = f32x4.mul(f32x4.sub(v128.load(at + <usize>i * shift), mean), inverse);
            const weight = v128.load32_splat(own + ((<usize>i) << 2));
            distance = f32x4.add(distance, f32x4.abs(f32x4.sub(value, weight)));
          }
        } else {
          for (let i = 0; i < length; i++) {
            const weight = v128.load32_splat(own + ((<usize>i) << 2));
            const away = f32x4.sub(v128.load(at + <usize>i * shift), weight);
            distance = f32x4.add(distance, f32x4.abs(away));
          }
        }
      }
      const within = i32x4.lt_s(steps, last);
      const nearer = v128.and(f32x4.lt(distance, least), within);
      least = v128.bitselect(distance, least, nearer);
      where = v128.bitselect(steps, where, nearer);
      // A mask is -1 where it holds.
      below = i32x4.sub(below, v128.and(f32x4.lt(distance, threshold), within));
      steps = i32x4.add(steps, i32x4.splat(4));
    }
    let distance = f32x4.extract_lane(least, 0);
    let step = i32x4.extract_lane(where, 0);
    for (let lane = 1; lane < 4; lane++) {
      const other =
        lane === 1
          ? f32x4.extract_lane(least, 1)
          : lane === 2
            ? f32x4.extract_lane(least, 2)
            : f32x4.extract_lane(least, 3);
      const place =
        lane === 1
          ? i32x4.extract_lane(where, 1)
          : lane === 2
            ? i32x4.extract_lane(where, 2)
            : i32x4.extract_lane(where, 3);
      if (other > distance || (other === distance && place > step)) continue;
      distance = other;
      step = place;
    }
    const found =
      i32x4.extract_lane(below, 0) +
      i32x4.extract_lane(below, 1) +
      i32x4.extract_lane(below, 2) +
      i32x4.extract_lane(below, 3);
    const to = out + ((<usize>(3 * s)) << 2);
    store<f32>(to, distance);
    store<f32>(to, <f32>step, 4);
    store<f32>(to, <f32>found, 8);
  }
}
