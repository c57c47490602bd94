/** From a model's out-of-fold predictions to its conformal part and what the card says of it. */

import { shown } from "../data/shown.ts";
import type { ErrorScope } from "../residuals/usual-errors.ts";
import { type Task, typeOf } from "../tasks/index.ts";
import type { ConformalPart, UncertaintyCard } from "./document.ts";
import { fitForecasts, forecastIntervals, stretchedFrom } from "./forecasts.ts";
import { fitIntervals } from "./intervals.ts";
import { type OutOfFold, pick } from "./out-of-fold.ts";
import { fitSets } from "./sets.ts";
import { effectiveRows, isShort, percentOf } from "./short-coverage.ts";

/** Quantiles of more rows are the same to the third digit. */
export const MOST_CONFORMAL_ROWS = 100_000;
/** Of the coverage, below which a class counts as missed. */
const MISSED = 0.5;
const MOST_NAMED = 5;

export interface ConformalRequest {
  readonly task: Task;
  readonly rows: OutOfFold;
  /** In (0.5, 0.99]. */
  readonly coverage: number;
  /** Sets: whether every class is to be held as often as asked. */
  readonly byClass: boolean;
  /** Two classes: the probability of the second from which it is the label; null = one half. */
  readonly threshold: number | null;
  /** Whether the model averages the models of several folds. */
  readonly averagesFolds: boolean;
  /** Folds in the order of time, and whole groups in folds. */
  readonly ordered: boolean;
  readonly grouped: boolean;
  /** The model learned from a teacher, which may have known the rows' labels. */
  readonly taught: boolean;
  /** Of forecasts. */
  readonly scope?: ErrorScope | undefined;
}

/** For tasks whose type has either. */
export function fitConformal(request: ConformalRequest): {
  readonly part: ConformalPart;
  readonly card: UncertaintyCard;
} {
  const { task, coverage, byClass, threshold, averagesFolds, ordered } = request;
  const rows = atMost(request.rows, MOST_CONFORMAL_ROWS);
  const { places } = rows;
  const { part, card } =
    request.scope !== undefined && places
      ? fitForecasts({ ...rows, places }, coverage, request.scope)
      : typeOf(task).conformal === "interval"
        ? fitIntervals(rows, coverage, averagesFolds && !ordered)
        : fitSets(rows, { classes: task.classes, threshold, coverage, byClass });
  const warnings = [
    ...card.warnings,
    ...warningsOf(request, part, card),
    ...shortCoverage(request, rows, card),
    ...missedClasses(request, card),
  ];
  return { part, card: { ...card, warnings } };
}

function warningsOf(
  { ordered, grouped, taught, coverage }: ConformalRequest,
  part: ConformalPart,
  card: UncertaintyCard,
): string[] {
  const warnings: string[] = [];
  const what = part.kind === "set" ? "sets" : "intervals";
  if (ordered) {
    warnings.push(
      `The folds are ordered by time: the coverage of the ${what} is valid as long as new data resemble the old, and is not guaranteed under drift.`,
    );
  }
  if (grouped) {
    warnings.push(
      `The folds keep groups whole: the coverage of the ${what} is an average over many new groups; within one group it may be higher or lower.`,
    );
  }
  if (taught) {
    warnings.push(
      `The model learned from a teacher: if the teacher had seen these rows' labels, the out-of-fold predictions are better than those of new rows will be, and the ${what} cover fewer new rows than stated.`,
    );
  }
  const isSaid = part.kind === "forecast" && card.warnings.length > 0;
  if (isUnreached(part, coverage) && !isSaid) warnings.push(tooFewRows(part, coverage));
  return warnings;
}

/** What was measured on the folds is below what was asked for. */
function shortCoverage(
  { coverage, scope }: ConformalRequest,
  { weights, target }: OutOfFold,
  { kind, measured }: UncertaintyCard,
): string[] {
  // The steps of one forecast go wrong together: they count as one row.
  const rows = effectiveRows(weights, target.length) / (scope?.horizon ?? 1);
  if (measured === null || !isShort(measured, coverage, rows)) return [];
  const what = kind === "set" ? "sets" : "intervals";
  return [
    `The ${what} held ${percentOf(measured)} of the out-of-fold rows, fewer than the ${percentOf(coverage)} asked for by more than chance explains: rows of one fold are unlike those of the others. New rows may be held as seldom; train with rows like those to come, or ask for a higher coverage.`,
  ];
}

/** Classes whose rows the sets seldom hold, though they hold as many rows in all as they say. */
function missedClasses({ byClass, coverage }: ConformalRequest, card: UncertaintyCard): string[] {
  if (byClass || card.byClass === undefined) return [];
  const missed = Object.entries(card.byClass).flatMap(([name, share]) =>
    share !== null && share < MISSED * coverage ? [`${shown(name)} (${percent(share)})`] : [],
  );
  if (missed.length === 0) return [];
  const more = missed.length > MOST_NAMED ? ` and ${missed.length - MOST_NAMED} more` : "";
  return [
    `The coverage of the sets is over all classes together, and is low for some of them: ${missed.slice(0, MOST_NAMED).join(", ")}${more}. Asked for their coverage by class, the sets reach it for each class, and are larger.`,
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function isUnreached(part: ConformalPart, coverage: number): boolean {
  if (part.kind === "forecast") {
    const none = new Float64Array(0);
    const places = { scale: none, step: new Uint32Array(0), bounds: [] };
    return (
      forecastIntervals(part, none, places, coverage).bounds === null ||
      stretchedFrom(part, coverage) !== null
    );
  }
  return part.kind === "interval"
    ? part.levels.some(({ level, bounds }) => level === coverage && bounds === null)
    : part.levels.some(({ level, unlimited }) => level === coverage && unlimited);
}

/** Why there is no interval, or why sets hold more than they need to. */
export function tooFewRows(part: ConformalPart, level: number): string {
  const share = `${Number((100 * level).toPrecision(6))} %`;
  const groups = part.kind !== "forecast" && part.groups ? ` of ${part.groups} groups` : "";
  if (part.kind === "forecast" && stretchedFrom(part, level) !== null) {
    return `The ${part.rows} rows with an out-of-fold prediction are too few to tell ${share} intervals: these go by what errors of forecasts usually are.`;
  }
  return part.kind !== "set"
    ? `The ${part.rows} rows${groups} with an out-of-fold prediction are too few for ${share} intervals; there are none.`
    : `The rows with an out-of-fold prediction, ${part.rows}${groups} in all, are too few for ${share} prediction sets, for some classes or for all; such classes are in every set.`;
}

/** Rows at equal distances, so that every fold gives its share. */
function atMost(rows: OutOfFold, most: number): OutOfFold {
  const count = rows.target.length;
  if (count <= most) return rows;
  return pick(
    rows,
    Uint32Array.from({ length: most }, (_, i) => Math.floor((i * count) / most)),
  );
}
