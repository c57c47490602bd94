/**
 * Piecewise-linear embeddings of numbers: x itself, and three learned functions of it that are linear between
 * its quantiles (Gorishniy, Rubachev & Babenko, "On embeddings for numerical features", NeurIPS 2022, §3.2,
 * with a linear layer of each feature's own behind them).
 *
 * A number comes as itself and as its place: 2.25 is a quarter of the way through the third piece. Each piece has
 * what the functions rise by in it, so that what they say at a place is a sum from the left.
 */

/** Bytes of a knot: the number itself, which has no function, and three functions. */
const KNOT: usize = 16;

/** What the functions say at the knots, from their values at the first and their rises. */
function sumRises(weights: usize, pieces: i32, knots: usize): void {
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at <= (<usize>pieces) << 4; at += KNOT) {
    sum = f32x4.add(sum, v128.load(weights + at));
    v128.store(knots + at, sum);
  }
}

/** The piece of a place in [0, pieces]. @inline */
function pieceOf(place: f32, pieces: i32): i32 {
  return min(<i32>place, pieces - 1);
}

/**
 * @param x f32 × features × rows
 * @param places f32, likewise, in [0, pieces]
 * @param pieces of a feature, at least 1
 * @param weights f32 × features × (pieces + 1) × 4: the functions at the first knot, then their rises; the first
 *   of four is not read
 * @param out f32, row-major; or in groups of four rows, column by column
 * @param step columns of `out`
 * @param inQuads 1: `out` is in groups
 * @param scratch f32 × (pieces + 1) × 4
 */
export function embedPieces(
  x: usize,
  places: usize,
  features: i32,
  rows: i32,
  pieces: i32,
  weights: usize,
  out: usize,
  step: i32,
  inQuads: i32,
  scratch: usize,
): void {
  const rowBytes = (<usize>step) << 2;
  const featureBytes = (<usize>(pieces + 1)) << 4;
  for (let feature = 0; feature < features; feature++) {
    sumRises(weights, pieces, scratch);
    let to = out + ((<usize>feature) << (inQuads !== 0 ? 6 : 4));
    for (let row = 0; row < rows; row++) {
      const place = load<f32>(places);
      const piece = pieceOf(place, pieces);
      const knot = scratch + ((<usize>piece) << 4);
      const left = v128.load(knot);
      const rise = f32x4.sub(v128.load(knot, 16), left);
      const said = f32x4.add(left, f32x4.mul(f32x4.splat(place - <f32>piece), rise));
      if (inQuads !== 0) {
        store<f32>(to, load<f32>(x));
        store<f32>(to, f32x4.extract_lane(said, 1), 16);
        store<f32>(to, f32x4.extract_lane(said, 2), 32);
        store<f32>(to, f32x4.extract_lane(said, 3), 48);
        to += (row & 3) === 3 ? (rowBytes << 2) - 12 : 4;
      } else {
        v128.store(to, f32x4.replace_lane(said, 0, load<f32>(x)));
        to += rowBytes;
      }
      x += 4;
      places += 4;
    }
    weights += featureBytes;
  }
}

/**
 * The way back through `embedPieces`, to its weights.
 *
 * @param g f32, row-major: the loss by what it gave
 * @param gradients as `weights`, 0 where those are not read
 * @param scratch f32 × pieces × 4
 */
export function embedPiecesBack(
  places: usize,
  features: i32,
  rows: i32,
  pieces: i32,
  g: usize,
  step: i32,
  gradients: usize,
  scratch: usize,
): void {
  const rowBytes = (<usize>step) << 2;
  const bytes = (<usize>pieces) << 4;
  for (let feature = 0; feature < features; feature++) {
    memory.fill(scratch, 0, bytes);
    memory.fill(gradients, 0, bytes + KNOT);
    let from = g + ((<usize>feature) << 4);
    // In a row's own piece by the way through it; in all pieces to the left as a whole.
    for (let row = 0; row < rows; row++) {
      const place = load<f32>(places);
      const piece = pieceOf(place, pieces);
      const share = place - <f32>piece;
      const at = (<usize>piece) << 4;
      const gradient = f32x4.replace_lane(v128.load(from), 0, 0);
      const own = gradients + KNOT + at;
      v128.store(own, f32x4.add(v128.load(own), f32x4.mul(f32x4.splat(share), gradient)));
      const whole = scratch + at;
      v128.store(whole, f32x4.add(v128.load(whole), gradient));
      places += 4;
      from += rowBytes;
    }
    let right = f32x4.splat(0);
    for (let piece = pieces - 1; piece >= 0; piece--) {
      const at = (<usize>piece) << 4;
      const own = gradients + KNOT + at;
      v128.store(own, f32x4.add(v128.load(own), right));
      right = f32x4.add(right, v128.load(scratch + at));
    }
    v128.store(gradients, right);
    gradients += bytes + KNOT;
  }
}
