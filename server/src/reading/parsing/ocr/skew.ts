/**
 * By how much a scanned page was not laid straight. Along its lines the ink of a page lies in stripes:
 * of all angles that one is taken at which neighbouring stripes differ most (projection profiles;
 * Postl, "Detection of linear oblique structures and skew scan in digitized documents", ICPR 1986).
 */

import { type GreyImage, resized } from "./grey-image.ts";

/** Degrees to either side. */
const MOST = 15;
const COARSE = 0.5;
const FINE = 0.1;
/** Recognition itself follows lines that rise or fall by less. */
const LEAST = 2;
/** So much sharper must the stripes be than those of the page as it is. */
const CLEARLY = 1.5;

/** Pixels of the longer side at which it is looked for, and of ink that is enough, and that is used. */
const SIDE = 1000;
const FEWEST_POINTS = 200;
const MOST_POINTS = 60_000;

interface Points {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Pixels from the middle to a corner. */
  readonly reach: number;
}

/** Degrees by which the image must be turned clockwise for its lines to lie straight; 0 where they do, or nobody can tell. */
export function skewOfImage(image: GreyImage): number {
  const points = inkOf(resized(image, Math.min(1, SIDE / Math.max(image.width, image.height))));
  if (points.xs.length < FEWEST_POINTS) return 0;
  let [angle, most] = [0, 0];
  const consider = (degrees: number): number => {
    const sharp = sharpness(points, degrees);
    if (sharp > most) [angle, most] = [degrees, sharp];
    return sharp;
  };
  const straight = consider(0);
  const all: number[] = [];
  for (let degrees = -MOST; degrees <= MOST; degrees += COARSE) all.push(consider(degrees));
  const coarse = angle;
  for (let step = -5; step <= 5; step++) consider(coarse + step * FINE);
  // What looks much alike from everywhere, as a stamp or a photograph, has no lines.
  const usual = all.sort((a, b) => a - b)[all.length >> 1]!;
  const isClear = most > CLEARLY * Math.max(straight, usual);
  return Math.abs(angle) >= LEAST && isClear ? angle : 0;
}

/** Dark pixels, and a page on its side has its lines down: so both ways are looked at. */
function sharpness({ xs, ys, reach }: Points, degrees: number): number {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const across = new Float64Array(2 * reach + 2);
  const down = new Float64Array(2 * reach + 2);
  for (const [index, x] of xs.entries()) {
    const y = ys[index]!;
    add(across, x * sin + y * cos + reach);
    add(down, x * cos - y * sin + reach);
  }
  return Math.max(contrast(across), contrast(down));
}

/** Shared by the two stripes that it lies between: whole pixels beat against the grid that they come from. */
function add(stripes: Float64Array, place: number): void {
  const low = Math.floor(place);
  stripes[low]! += low + 1 - place;
  stripes[low + 1]! += place - low;
}

function contrast(stripes: Float64Array): number {
  let sum = 0;
  for (let index = 1; index < stripes.length; index++) {
    sum += (stripes[index]! - stripes[index - 1]!) ** 2;
  }
  return sum;
}

/** Offsets of dark pixels from the middle. */
function inkOf({ width, height, pixels }: GreyImage): Points {
  const threshold = darkBelow(pixels);
  let dark = 0;
  for (const pixel of pixels) if (pixel < threshold) dark += 1;
  const every = Math.ceil(dark / MOST_POINTS);
  const [xs, ys]: [number[], number[]] = [[], []];
  let seen = 0;
  for (const [at, pixel] of pixels.entries()) {
    if (pixel >= threshold || seen++ % every !== 0) continue;
    xs.push((at % width) - width / 2);
    ys.push(Math.floor(at / width) - height / 2);
  }
  return { xs, ys, reach: Math.ceil(Math.hypot(width, height) / 2) + 1 };
}

/** What parts ink from paper best (Otsu, "A threshold selection method from gray-level histograms", 1979). */
function darkBelow(pixels: Uint8Array): number {
  const counts = new Float64Array(256);
  let total = 0;
  for (const pixel of pixels) {
    counts[pixel]! += 1;
    total += pixel;
  }
  let [best, most, below, sum] = [128, 0, 0, 0];
  for (let level = 0; level < 255; level++) {
    below += counts[level]!;
    sum += level * counts[level]!;
    const above = pixels.length - below;
    if (below === 0 || above === 0) continue;
    const apart = below * above * (sum / below - (total - sum) / above) ** 2;
    if (apart > most) [best, most] = [level + 1, apart];
  }
  return best;
}
