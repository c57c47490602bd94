/**
 * Constants of four numbers. V8 puts one together anew wherever it is used, by moves that take longer than what is then
 * done with it. These are set when the kernels are loaded, and so read from memory.
 */

/** Four times a number, by a call that no compiler does beforehand. */
export function four(x: f32): v128 {
  return f32x4.splat(x);
}

/** Likewise an integer. */
export function fourWhole(first: i32, step: i32): v128 {
  return i32x4(first, first + step, first + 2 * step, first + 3 * step);
}

export const ONE4: v128 = four(1.0);
export const TWO4: v128 = four(2.0);
