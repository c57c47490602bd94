/**
 * The hypervolume indicator, exactly: the measure of what some point dominates within a reference
 * point (Zitzler, Thiele, 1998). Two and three objectives are swept; more are reduced by one at a
 * time as WFG does (While, Bradstreet, Barone, "A fast way of calculating exact hypervolumes", IEEE
 * TEC 16, 2012): in the order of the last objective, worst first, what a point adds to those after
 * it is a prism, whose base is its own box less the hypervolume of the others' parts in it.
 */

import { dominates, type Losses } from "./dominance.ts";

/**
 * @param points finite losses; those that do not lie below the reference everywhere add nothing
 * @param reference worse than what is of interest, one number an objective
 */
export function hypervolume(points: readonly Losses[], reference: Losses): number {
  const inside = points.filter((point) => point.every((loss, i) => loss < reference[i]));
  return measure(inside, reference, reference.length);
}

/** Of points inside the reference, in their first `dimensions` objectives. */
function measure(points: readonly Losses[], reference: Losses, dimensions: number): number {
  if (points.length === 0) return 0;
  if (points.length === 1) return boxVolume(points[0], reference, dimensions);
  if (dimensions === 1) return reference[0] - Math.min(...points.map((point) => point[0]));
  if (dimensions === 2) return area(points, reference);
  if (dimensions === 3) return volume(points, reference);
  return prisms(points, reference, dimensions);
}

function boxVolume(point: Losses, reference: Losses, dimensions: number): number {
  let product = 1;
  for (let i = 0; i < dimensions; i++) product *= reference[i] - point[i];
  return product;
}

function area(points: readonly Losses[], reference: Losses): number {
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  let sum = 0;
  let height = reference[1];
  for (const [x, y] of sorted) {
    if (y >= height) continue;
    sum += (reference[0] - x) * (height - y);
    height = y;
  }
  return sum;
}

/** Sweeps upwards along the third objective over the staircase of the first two. */
function volume(points: readonly Losses[], reference: Losses): number {
  const sorted = [...points].sort((a, b) => a[2] - b[2]);
  // Corners of the staircase: first objective ascending, second descending.
  const xs: number[] = [];
  const ys: number[] = [];
  let covered = 0;
  let sum = 0;
  let floor = sorted[0][2];
  for (const [x, y, z] of sorted) {
    sum += covered * (z - floor);
    floor = z;
    let at = 0;
    while (at < xs.length && xs[at] < x) at++;
    if (at > 0 && ys[at - 1] <= y) continue;
    if (at < xs.length && xs[at] === x && ys[at] <= y) continue;
    // From here to the first lower corner the floor of the staircase sinks to y.
    let end = at;
    let left = x;
    let height = at > 0 ? ys[at - 1] : reference[1];
    while (end < xs.length && ys[end] >= y) {
      covered += (xs[end] - left) * (height - y);
      left = xs[end];
      height = ys[end];
      end++;
    }
    covered += ((end < xs.length ? xs[end] : reference[0]) - left) * (height - y);
    xs.splice(at, end - at, x);
    ys.splice(at, end - at, y);
  }
  return sum + covered * (reference[2] - floor);
}

function prisms(points: readonly Losses[], reference: Losses, dimensions: number): number {
  const last = dimensions - 1;
  const sorted = [...points].sort((a, b) => b[last] - a[last]);
  let sum = 0;
  for (let k = 0; k < sorted.length; k++) {
    const point = sorted[k];
    const others: Losses[] = [];
    for (let j = k + 1; j < sorted.length; j++) others.push(worse(sorted[j], point, last));
    const base =
      boxVolume(point, reference, last) - measure(withoutDominated(others), reference, last);
    sum += base * (reference[last] - point[last]);
  }
  return sum;
}

function worse(a: Losses, b: Losses, dimensions: number): number[] {
  const corner = new Array<number>(dimensions);
  for (let i = 0; i < dimensions; i++) corner[i] = Math.max(a[i], b[i]);
  return corner;
}

/** One of each of equal points, and none that another dominates. */
function withoutDominated(points: readonly Losses[]): Losses[] {
  const kept: Losses[] = [];
  for (const point of points) {
    if (kept.some((other) => isNoWorse(other, point))) continue;
    let count = 0;
    for (const other of kept) if (!dominates(point, other)) kept[count++] = other;
    kept.length = count;
    kept.push(point);
  }
  return kept;
}

function isNoWorse(a: Losses, b: Losses): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] > b[i]) return false;
  return true;
}

/**
 * What `point` adds to the hypervolume of `others`: its box less their parts in it.
 */
export function hypervolumeGain(
  point: Losses,
  others: readonly Losses[],
  reference: Losses,
): number {
  const dimensions = reference.length;
  for (let i = 0; i < dimensions; i++) if (!(point[i] < reference[i])) return 0;
  const parts: Losses[] = [];
  for (const other of others) {
    const corner = worse(other, point, dimensions);
    let isInside = true;
    for (let i = 0; i < dimensions; i++) if (!(corner[i] < reference[i])) isInside = false;
    if (isInside) parts.push(corner);
  }
  const own = boxVolume(point, reference, dimensions);
  if (parts.length === 0) return own;
  // Rounding may leave a difference of equal volumes below 0.
  return Math.max(0, own - measure(parts, reference, dimensions));
}

/** What each point alone adds to the hypervolume of all the others; 0 for one of equal points. */
export function hypervolumeContributions(
  points: readonly Losses[],
  reference: Losses,
): Float64Array {
  return Float64Array.from(points, (point, index) =>
    hypervolumeGain(
      point,
      points.filter((_, other) => other !== index),
      reference,
    ),
  );
}

/**
 * A reference for points whose own hypervolume is asked for: a tenth of their range beyond the
 * worst of each objective, so that extreme points count too. It moves with the points, whatever
 * their units or their origin.
 */
export function referenceBeyond(points: readonly Losses[]): number[] {
  const dimensions = points[0]?.length ?? 0;
  return Array.from({ length: dimensions }, (_, i) => {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const point of points) {
      if (point[i] < least) least = point[i];
      if (point[i] > most) most = point[i];
    }
    const range = most - least;
    return most + (range > 0 ? 0.1 * range : Math.max(1e-12, 0.1 * Math.abs(most)));
  });
}
