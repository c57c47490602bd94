/** Arrays of f64, one number a cell of a term, and how good it is to step by sums of them. */

export function at(array: usize, index: i32): f64 {
  return load<f64>(array + (usize(index) << 3));
}

export function put(array: usize, index: i32, value: f64): void {
  store<f64>(array + (usize(index) << 3), value);
}

/** Twice the fall of the loss's second-order expansion, by the best step of one leaf. @param l2 penalty of its square */
export function scoreOf(g: f64, h: f64, l2: f64): f64 {
  const curved = h + l2;
  return curved > 0 ? (g * g) / curved : 0;
}
