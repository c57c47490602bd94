/**
 * Rows: the runs that stand on one baseline, as far as the size of their letters lets the eye tell;
 * raised and lowered small print belongs to the row that it touches.
 */

import { withCentredCells } from "./centred-cells.ts";
import { bottomOf, byLeft, byPlace, type GlyphRun, isBlank, topOf } from "./glyph-run.ts";

/** Of the smaller size: what baselines of one row may differ by. */
const BASELINE_TOLERANCE = 0.35;
/** Small print beside larger letters: at most so much of their size, at most so many sizes away. */
const SCRIPT_SIZE = 0.8;
const SCRIPT_GAP = 0.4;
/** Rows that a run is tried against; more lie within the tolerance only where text is overprinted. */
const OPEN_ROWS = 8;
/** Runs of a row that one is compared with. */
const MAX_COMPARED = 300;

interface OpenRow {
  readonly runs: GlyphRun[];
  /** Mean of its runs' by their characters. */
  baseline: number;
  characters: number;
  /** The largest of its runs'. */
  size: number;
}

/** From top to bottom; the runs of each from left to right. Rows without a letter are left out. */
export function rowsOf(runs: readonly GlyphRun[]): GlyphRun[][] {
  const rows: OpenRow[] = [];
  const blanks: GlyphRun[] = [];
  for (const run of runs.toSorted(byPlace)) {
    if (isBlank(run)) blanks.push(run);
    else add(rows, run);
  }
  const joined = withScripts(rows).sort((a, b) => a.baseline - b.baseline || leftOf(a) - leftOf(b));
  for (const blank of blanks) {
    nearest(joined, blank)?.runs.push(blank);
  }
  return withCentredCells(joined.map((row) => row.runs.sort(byLeft)));
}

function add(rows: OpenRow[], run: GlyphRun): void {
  let best: OpenRow | null = null;
  for (const row of rows.slice(-OPEN_ROWS)) {
    const shift = Math.abs(run.baseline - row.baseline);
    if (shift > BASELINE_TOLERANCE * Math.min(run.size, row.size)) continue;
    if (shift > 0.12 * run.size && isCovered(run, row)) continue;
    if (best === null || shift < Math.abs(run.baseline - best.baseline)) best = row;
  }
  if (best === null) {
    const { baseline, size } = run;
    rows.push({ runs: [run], baseline, characters: run.text.length, size });
    return;
  }
  join(best, [run]);
}

function join(row: OpenRow, runs: readonly GlyphRun[]): void {
  for (const run of runs) {
    const characters = row.characters + run.text.length;
    row.baseline += ((run.baseline - row.baseline) * run.text.length) / characters;
    row.characters = characters;
    row.size = Math.max(row.size, run.size);
    row.runs.push(run);
  }
}

/** Whether the row has letters where the run stands: two lines that are set tightly. */
function isCovered(run: GlyphRun, row: OpenRow): boolean {
  return row.runs
    .slice(-MAX_COMPARED)
    .some(
      ({ left, right }) =>
        Math.min(right, run.right) - Math.max(left, run.left) > 0.5 * (run.right - run.left),
    );
}

/** Rows of small print alone go into the row that they are set in. */
function withScripts(rows: readonly OpenRow[]): OpenRow[] {
  const kept: OpenRow[] = [];
  const scripts: { row: OpenRow; host: OpenRow }[] = [];
  for (const [index, row] of rows.entries()) {
    const around = rows.slice(Math.max(0, index - OPEN_ROWS), index + OPEN_ROWS + 1);
    const host = around.find((other) => other !== row && isScriptOf(row, other));
    if (host === undefined) kept.push(row);
    else scripts.push({ row, host });
  }
  for (const { row, host } of scripts) {
    if (kept.includes(host)) host.runs.push(...row.runs);
    else kept.push(row);
  }
  return kept;
}

function isScriptOf(row: OpenRow, host: OpenRow): boolean {
  if (row.size > SCRIPT_SIZE * host.size) return false;
  return row.runs.every((run) =>
    host.runs.slice(0, MAX_COMPARED).some((letters) => {
      const gap = Math.max(run.left - letters.right, letters.left - run.right);
      const overlap =
        Math.min(bottomOf(run), bottomOf(letters)) - Math.max(topOf(run), topOf(letters));
      return (
        gap > -0.5 * letters.size && gap < SCRIPT_GAP * letters.size && overlap > 0.5 * run.size
      );
    }),
  );
}

function nearest(rows: readonly OpenRow[], run: GlyphRun): OpenRow | null {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.baseline < run.baseline) low = middle + 1;
    else high = middle;
  }
  let best: OpenRow | null = null;
  for (const row of [rows[low - 1], rows[low]]) {
    if (row === undefined) continue;
    const shift = Math.abs(row.baseline - run.baseline);
    if (shift > BASELINE_TOLERANCE * row.size) continue;
    if (best === null || shift < Math.abs(best.baseline - run.baseline)) best = row;
  }
  return best;
}

const leftOf = ({ runs }: OpenRow): number =>
  runs.reduce((left, run) => Math.min(left, run.left), Infinity);
