/**
 * Which pairs of features interact: FAST (Lou, Caruana, Gehrke & Hooker, "Accurate intelligible models with pairwise
 * interactions", KDD'13, §4): of each pair the best cut of both features, by what four means of what single features
 * leave would bring.
 */

import type { Term } from "./shapes.ts";

/** What is known of a feature's bins, the missing one last. */
export interface BinFacts {
  readonly feature: number;
  readonly kind: "numeric" | "categorical";
  /** Weight of the learned rows. */
  readonly covers: Float64Array;
  /** What the feature's own shape says; categories are ordered by it. */
  readonly values: Float64Array;
}

/**
 * Of a grid, the missing lines too: lines of a side where both features have as many bins, the same where the other has
 * fewer, and cells in all.
 */
const GRID = { lines: 32, most: 128, cells: 32 ** 2 };
/** The same while pairs are looked for. */
const COARSE_LINES = 16;

/** The line of each bin: about equally many rows a line, and the last for missing values. */
function linesOf({ kind, covers, values }: BinFacts, most: number): Uint8Array {
  const bins = covers.length - 1;
  const order = Array.from({ length: bins }, (_, bin) => bin);
  if (kind === "categorical") order.sort((a, b) => values[a] - values[b] || a - b);
  const lines = new Uint8Array(bins + 1);
  const count = Math.min(bins, most - 1);
  let total = 0;
  for (let bin = 0; bin < bins; bin++) total += covers[bin];
  let line = 0;
  let filled = 0;
  for (const [place, bin] of order.entries()) {
    lines[bin] = line;
    filled += covers[bin];
    const left = bins - 1 - place;
    // Every line has a bin, and none more rows than its share where bins allow it.
    const full = filled >= ((line + 1) * total) / count;
    if (line < count - 1 && (full || left <= count - 1 - line)) line++;
  }
  lines[bins] = line + 1;
  return lines;
}

/** Lines of the two sides: what one does not need the other has. */
export function gridLines(bins: number, otherBins: number): readonly [number, number] {
  const linesBeside = (others: number): number =>
    Math.min(GRID.most, Math.max(GRID.lines, Math.floor(GRID.cells / others)));
  return [linesBeside(otherBins), linesBeside(bins)];
}

const lineCount = (lines: Uint8Array): number => lines[lines.length - 1] + 1;

/** Of the learned rows: gradients and hessians of the margins, rows × outputs. */
export interface RowGradients {
  readonly gradients: Float64Array;
  readonly hessians: Float64Array;
  readonly outputs: number;
  /** The bin of each row in a feature. */
  binsOf(feature: number): Uint8Array;
}

/** @returns at most `count` pairs, the strongest first */
export function strongestPairs(
  facts: readonly BinFacts[],
  rows: RowGradients,
  count: number,
): readonly Term[] {
  const lines = facts.map((each) => linesOf(each, COARSE_LINES));
  const coarse = facts.map(({ feature }, i) => {
    const bins = rows.binsOf(feature);
    return bins.map((bin) => lines[i][bin]);
  });
  const found: { readonly a: number; readonly b: number; readonly gain: number }[] = [];
  for (let a = 0; a < facts.length; a++) {
    for (let b = a + 1; b < facts.length; b++) {
      let gain = 0;
      for (let k = 0; k < rows.outputs; k++) {
        gain += quadrantGain(
          { lines: coarse[a], count: lineCount(lines[a]) },
          { lines: coarse[b], count: lineCount(lines[b]) },
          rows,
          k,
        );
      }
      found.push({ a, b, gain });
    }
  }
  return found
    .filter(({ gain }) => gain > 0)
    .sort((x, y) => y.gain - x.gain || x.a - y.a || x.b - y.b)
    .slice(0, count)
    .map(({ a, b }) => {
      const sides = gridLines(facts[a].covers.length, facts[b].covers.length);
      const own = [linesOf(facts[a], sides[0]), linesOf(facts[b], sides[1])];
      return {
        features: [facts[a].feature, facts[b].feature],
        lines: own,
        height: lineCount(own[0]),
        width: lineCount(own[1]),
      };
    });
}

interface Side {
  readonly lines: Uint8Array;
  readonly count: number;
}

function quadrantGain(
  down: Side,
  across: Side,
  { gradients, hessians, outputs }: RowGradients,
  output: number,
): number {
  const width = across.count + 1;
  const g = new Float64Array((down.count + 1) * width);
  const h = new Float64Array((down.count + 1) * width);
  for (let i = 0; i < down.lines.length; i++) {
    const cell = (down.lines[i] + 1) * width + across.lines[i] + 1;
    g[cell] += gradients[i * outputs + output];
    h[cell] += hessians[i * outputs + output];
  }
  for (let i = 1; i <= down.count; i++) {
    for (let j = 1; j < width; j++) {
      const at = i * width + j;
      g[at] += g[at - 1] + g[at - width] - g[at - width - 1];
      h[at] += h[at - 1] + h[at - width] - h[at - width - 1];
    }
  }
  const last = down.count * width + width - 1;
  const score = (gradient: number, hessian: number): number =>
    hessian > 0 ? (gradient * gradient) / hessian : 0;
  let best = 0;
  for (let i = 1; i < down.count; i++) {
    const right = i * width + width - 1;
    for (let j = 1; j < across.count; j++) {
      const at = i * width + j;
      const bottom = down.count * width + j;
      const gain =
        score(g[at], h[at]) +
        score(g[right] - g[at], h[right] - h[at]) +
        score(g[bottom] - g[at], h[bottom] - h[at]) +
        score(g[last] - g[right] - g[bottom] + g[at], h[last] - h[right] - h[bottom] + h[at]);
      if (gain > best) best = gain;
    }
  }
  return best - score(g[last], h[last]);
}
