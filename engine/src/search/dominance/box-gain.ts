/**
 * What a point would add to the hypervolume of a growing set, in up to three objectives: one sweep
 * along the third over the staircase of the first two, without garbage. For greedy selection, which
 * asks thousands of times.
 */

import type { Losses } from "./dominance.ts";

export class BoxGain {
  readonly #reference: readonly [number, number, number];
  /** Sorted by the third objective; absent objectives are 0. */
  readonly #points: (readonly [number, number, number])[] = [];
  /** Corners of the staircase, the one ascending and the other descending. */
  readonly #xs: Float64Array;
  readonly #ys: Float64Array;

  /**
   * @param reference of one to three objectives
   * @param most points that will be added
   */
  constructor(reference: Losses, most: number) {
    this.#reference = [reference[0], reference[1] ?? 1, reference[2] ?? 1];
    this.#xs = new Float64Array(most);
    this.#ys = new Float64Array(most);
  }

  add(point: Losses): void {
    const corner = [point[0], point[1] ?? 0, point[2] ?? 0] as const;
    let at = this.#points.length;
    while (at > 0 && this.#points[at - 1][2] > corner[2]) at--;
    this.#points.splice(at, 0, corner);
  }

  /** 0 for a point that does not lie below the reference everywhere. */
  of(point: Losses): number {
    const [rx, ry, rz] = this.#reference;
    const px = point[0];
    const py = point[1] ?? 0;
    const pz = point[2] ?? 0;
    if (!(px < rx && py < ry && pz < rz)) return 0;
    const base = (rx - px) * (ry - py);
    const xs = this.#xs;
    const ys = this.#ys;
    let corners = 0;
    let covered = 0;
    let sum = 0;
    let floor = pz;
    for (const [tx, ty, tz] of this.#points) {
      if (tz >= rz) break;
      if (tx >= rx || ty >= ry) continue;
      const x = Math.max(tx, px);
      const y = Math.max(ty, py);
      if (tz > floor) {
        sum += covered * (tz - floor);
        floor = tz;
      }
      if (x === px && y === py) {
        covered = base;
        break;
      }
      let at = 0;
      while (at < corners && xs[at] < x) at++;
      if (at > 0 && ys[at - 1] <= y) continue;
      if (at < corners && xs[at] === x && ys[at] <= y) continue;
      let end = at;
      let left = x;
      let height = at > 0 ? ys[at - 1] : ry;
      while (end < corners && ys[end] >= y) {
        covered += (xs[end] - left) * (height - y);
        left = xs[end];
        height = ys[end];
        end++;
      }
      covered += ((end < corners ? xs[end] : rx) - left) * (height - y);
      xs.copyWithin(at + 1, end, corners);
      ys.copyWithin(at + 1, end, corners);
      corners += 1 - (end - at);
      xs[at] = x;
      ys[at] = y;
    }
    return Math.max(0, base * (rz - pz) - (sum + covered * (rz - floor)));
  }
}
