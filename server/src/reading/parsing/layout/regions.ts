/**
 * Reading order: a page is cut into what lies above a gutter, the columns on its left and right, and
 * what lies below, again and again (the recursive cuts of Nagy and Seth, "Hierarchical representation of
 * optically scanned documents", ICPR 1984), and read in that order.
 */

import { byPlace, type GlyphRun } from "./glyph-run.ts";
import { widestGutter } from "./gutters.ts";
import type { LaidLine } from "./line.ts";
import { rowsOf } from "./rows.ts";
import { lineOf } from "./spans.ts";

/** Cuts within cuts. */
const MAX_DEPTH = 6;

/** Lines of each region from top to bottom, regions as they are read; none is empty. */
export function regionsOf(runs: readonly GlyphRun[], depth = 0): LaidLine[][] {
  const lines = rowsOf(runs).flatMap((row) => lineOf(row) ?? []);
  if (lines.length === 0) return [];
  const gutter = depth < MAX_DEPTH ? widestGutter(lines) : null;
  if (gutter === null) return [lines];
  const above = lines[gutter.from - 1];
  const below = lines[gutter.to];
  const top = above === undefined ? -Infinity : between(above, lines[gutter.from]!);
  const bottom = below === undefined ? Infinity : between(lines[gutter.to - 1]!, below);
  const parts: GlyphRun[][] = [[], [], [], []];
  for (const run of runs.toSorted(byPlace)) {
    const middle = (run.left + run.right) / 2;
    const part =
      run.baseline < top ? 0 : run.baseline > bottom ? 3 : middle < gutter.middle ? 1 : 2;
    parts[part]!.push(run);
  }
  // A cut that parts nothing would go on for ever.
  if (parts.some((part) => part.length === runs.length)) return [lines];
  return parts.flatMap((part) => regionsOf(part, depth + 1));
}

const between = (a: LaidLine, b: LaidLine): number => (a.baseline + b.baseline) / 2;
