/**
 * Cells that are centred in their row's height, as browsers set a table's: beside a value that is wrapped to
 * two lines its label stands half a line lower than the first, and beside three on the second. Read by
 * baselines alone, label and value would be two lines that take turns, or the label would stand in the middle
 * of its answer. Here what is centred joins the first line of what it is centred to.
 */

import { byLeft, type GlyphRun, isBlank } from "./glyph-run.ts";

/** In sizes of the letters: from one wrapped line to the next, and what is as good as the middle. */
const LEAST_LEADING = 0.95;
const MOST_LEADING = 1.75;
const OFF_MIDDLE = 0.15;
/** What lines of one cell may begin apart. */
const SAME_LEFT = 0.5;
const SAME_SIZE = 0.1;
/** From what is centred to what stands beside it. */
const LEAST_GAP = 0.5;
/** Above and below three lines of a cell there is more space than between them. */
const PARTED = 1.2;
/** Runs of a row that are looked at: one of more is no row of cells. */
const MOST_RUNS = 60;

interface Row {
  readonly runs: readonly GlyphRun[];
  readonly baseline: number;
  readonly size: number;
  readonly left: number;
}

/** @param rows from top to bottom, the runs of each from left to right */
export function withCentredCells(rows: readonly GlyphRun[][]): GlyphRun[][] {
  const measured = rows.map(measure);
  const joined = rows.map((row) => row);
  const isGone = rows.map(() => false);
  for (let middle = 1; middle + 1 < rows.length; middle += 1) {
    const around = [middle - 1, middle, middle + 1].map((index) => measured[index]);
    const [first, own, last] = around;
    if (first == null || own == null || last == null || isGone[middle - 1]) continue;
    if (!areOfOneCell(first, last)) continue;
    const centred = own.runs.filter((run) => isBeside(run, [...first.runs, ...last.runs]));
    if (centred.length === 0) continue;
    const isAlone = centred.length === own.runs.length;
    const fits = isAlone
      ? isHalfWay(first, own, last) && !goesOn(measured, middle)
      : isSecondOfThree(measured, middle, centred);
    if (!fits) continue;
    joined[middle - 1] = [...joined[middle - 1]!, ...centred].sort(byLeft);
    joined[middle] = rows[middle]!.filter((run) => !centred.includes(run));
    isGone[middle] = isAlone;
  }
  return joined.filter((row, index) => !isGone[index] && row.some((run) => !isBlank(run)));
}

/** Null where it cannot be a row of cells. */
function measure(row: readonly GlyphRun[]): Row | null {
  const runs = row.filter((run) => !isBlank(run));
  if (runs.length === 0 || runs.length > MOST_RUNS) return null;
  const main = runs.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  return { runs, baseline: main.baseline, size: main.size, left: runs[0]!.left };
}

const areOfOneCell = (a: Row, b: Row): boolean =>
  Math.abs(a.size - b.size) <= SAME_SIZE * a.size &&
  Math.abs(a.left - b.left) <= SAME_LEFT * a.size;

const isBeside = (run: GlyphRun, others: readonly GlyphRun[]): boolean =>
  others.every(
    ({ left, right }) => Math.max(left - run.right, run.left - right) >= LEAST_GAP * run.size,
  );

/** Whether the two are neighbouring lines, and the row between is in the middle of them. */
function isHalfWay(first: Row, own: Row, last: Row): boolean {
  const leading = (last.baseline - first.baseline) / first.size;
  const middle = (first.baseline + last.baseline) / 2;
  return (
    leading >= LEAST_LEADING &&
    leading <= MOST_LEADING &&
    Math.abs(own.baseline - middle) <= OFF_MIDDLE * first.size
  );
}

/** Whether what is centred has lines of its own above or below: two columns that are set at different heights. */
function goesOn(rows: readonly (Row | null)[], middle: number): boolean {
  const own = rows[middle]!;
  return [-3, -2, 2, 3].some((step) => {
    const other = rows[middle + step];
    if (other == null) return false;
    const distance = Math.abs(other.baseline - own.baseline);
    return (
      distance <= MOST_LEADING * own.size && !own.runs.every((run) => isBeside(run, other.runs))
    );
  });
}

/** Whether a cell has three lines there, with more space around them, and what is centred stands at the second. */
function isSecondOfThree(
  rows: readonly (Row | null)[],
  middle: number,
  centred: readonly GlyphRun[],
): boolean {
  const [before, first, own, last, after] = [-2, -1, 0, 1, 2].map((step) => rows[middle + step]);
  if (first == null || own == null || last == null) return false;
  const second = own.runs.filter((run) => !centred.includes(run));
  if (second.length === 0 || Math.abs(second[0]!.left - first.left) > SAME_LEFT * own.size) {
    return false;
  }
  const [above, below] = [own.baseline - first.baseline, last.baseline - own.baseline];
  const leading = Math.max(above, below);
  if (leading > MOST_LEADING * own.size || Math.abs(above - below) > OFF_MIDDLE * own.size)
    return false;
  const isParted = (distance: number | null): boolean =>
    distance === null || distance >= PARTED * leading;
  return (
    isParted(before == null ? null : first.baseline - before.baseline) &&
    isParted(after == null ? null : after.baseline - last.baseline)
  );
}
