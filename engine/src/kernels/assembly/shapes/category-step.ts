/** The step of a category's term: each level's own, shrunk as a random effect. */

import { at, put } from "./cell-sums";

/**
 * Towards what one-way random effects would say of each category, the others' steps given: its own mean of working
 * responses, shrunk by the variance within categories over that between them, which is estimated by moments (Searle,
 * Casella & McCulloch, "Variance Components", 1992, §3.6). Where no variance lies between them, back to 0.
 */
export function stepCategories(
  cells: i32,
  gradients: usize,
  hessians: usize,
  values: usize,
  known: usize,
  dispersion: f64,
): void {
  let total: f64 = 0;
  let squares: f64 = 0;
  let mean: f64 = 0;
  let levels: f64 = 0;
  for (let cell = 0; cell < cells; cell++) {
    const h = at(hessians, cell);
    if (!(h > 0)) continue;
    levels += 1;
    total += h;
    squares += h * h;
    mean += h * at(known, cell) - at(gradients, cell);
  }
  if (!(total > 0)) {
    for (let cell = 0; cell < cells; cell++) put(values, cell, 0);
    return;
  }
  mean /= total;
  let spread: f64 = 0;
  for (let cell = 0; cell < cells; cell++) {
    const h = at(hessians, cell);
    if (!(h > 0)) continue;
    const away = at(known, cell) - at(gradients, cell) / h - mean;
    spread += h * away * away;
  }
  const room = total - squares / total;
  // What noise would hardly exceed, by two deviations: categories of few rows would follow it half of the time.
  const freedom = levels - 1;
  const expected = dispersion * (freedom + 2 * sqrt<f64>(2 * freedom));
  const between = room > 0 ? max(0, (spread - expected) / room) : 0;
  for (let cell = 0; cell < cells; cell++) {
    const h = at(hessians, cell);
    const now = at(known, cell);
    let wanted: f64 = 0;
    if (h > 0 && between > 0) {
      const away = now - at(gradients, cell) / h - mean;
      wanted = (away * h) / (h + dispersion / between);
    }
    put(values, cell, wanted - now);
  }
}
