/**
 * What stands around a network's products: factors and biases, one a column, on f32 matrices, row-major, their width a
 * multiple of 8. In one order of operations.
 */

/** y = scale · y + bias. @param bias f32 × width */
export function scaleAndShift(y: usize, rows: i32, width: i32, scale: f32, bias: usize): void {
  const factor = f32x4.splat(scale);
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const scaled = f32x4.mul(v128.load(y + at), factor);
      v128.store(y + at, f32x4.add(scaled, v128.load(bias + at)));
    }
    y += bytes;
  }
}

/** Sums of columns, row by row; then g = scale · g. @param out f32 × width */
export function sumAndScale(g: usize, rows: i32, width: i32, scale: f32, out: usize): void {
  const factor = f32x4.splat(scale);
  const bytes = (<usize>width) << 2;
  memory.fill(out, 0, bytes);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const given = v128.load(g + at);
      v128.store(out + at, f32x4.add(v128.load(out + at), given));
      v128.store(g + at, f32x4.mul(given, factor));
    }
    g += bytes;
  }
}

/** out = x · scale, column by column. @param scale f32 × width */
export function scaleColumns(x: usize, scale: usize, rows: i32, width: i32, out: usize): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      v128.store(out + at, f32x4.mul(v128.load(x + at), v128.load(scale + at)));
    }
    x += bytes;
    out += bytes;
  }
}

/**
 * The way back through `scaleColumns`.
 *
 * @param g f32, rows × width: the loss by the scaled columns; then by the columns
 * @param scaleGradient f32 × width
 */
export function scaleColumnsBack(
  x: usize,
  scale: usize,
  rows: i32,
  width: i32,
  g: usize,
  scaleGradient: usize,
): void {
  const bytes = (<usize>width) << 2;
  memory.fill(scaleGradient, 0, bytes);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const gradient = v128.load(g + at);
      const sum = scaleGradient + at;
      v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(gradient, v128.load(x + at))));
      v128.store(g + at, f32x4.mul(gradient, v128.load(scale + at)));
    }
    x += bytes;
    g += bytes;
  }
}
