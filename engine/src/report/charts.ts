/**
 * The report's charts as Vega-Lite specifications, and its ways of writing numbers, for other pages.
 * Nothing here needs Node, a drawing library or a kernel, so that a browser can load it.
 */

export { autocorrelationSpec } from "./html/charts/autocorrelation.ts";
export { type Bar, barsSpec } from "./html/charts/bars.ts";
export { beeswarmSpec } from "./html/charts/beeswarm.ts";
export { confusionSpec } from "./html/charts/confusion.ts";
export { dependenceRange, dependenceSpec } from "./html/charts/dependence.ts";
export { fanSpec } from "./html/charts/fan.ts";
export { type FoldScores, foldSpreadSpec } from "./html/charts/fold-spread.ts";
export { seriesErrorsSpec, stepErrorsSpec } from "./html/charts/forecast-errors.ts";
export { gainsSpec, liftSpec } from "./html/charts/gains.ts";
export { type HistoryPlot, type HistoryTrial, historySpec } from "./html/charts/history.ts";
export { uniqueLabels } from "./html/charts/labels.ts";
export { familyLegend } from "./html/charts/legend.ts";
export { type Line, type LinePlot, lineSpec } from "./html/charts/lines.ts";
export { overTimeSpec, partsSpec } from "./html/charts/over-time.ts";
export { type ParetoPoint, paretoSpec } from "./html/charts/pareto.ts";
export { reliabilitySpec } from "./html/charts/reliability.ts";
export { residualGroupsSpec } from "./html/charts/residual-groups.ts";
export { drawnRows, residualSpec, scatterSpec } from "./html/charts/residuals.ts";
export { type ScoreRange, scoreRangeSpec } from "./html/charts/score-ranges.ts";
export { seasonalSpec } from "./html/charts/seasonal.ts";
export { shapeGridSpec } from "./html/charts/shape-grid.ts";
export { shapeLevelsSpec } from "./html/charts/shape-levels.ts";
export { shapeStepsSpec } from "./html/charts/shape-steps.ts";
export {
  type Chart,
  type ChartSpec,
  isWide,
  type LegendEntry,
  type Panels,
  SERIES,
  sizedSpec,
} from "./html/charts/spec.ts";
export { placeOf, type Stamp, stampText, timeScale } from "./html/charts/time-axis.ts";
export { windowsSpec } from "./html/charts/windows.ts";
export {
  COSTS_SAY,
  costsTable,
  gainsSays,
  gainsTable,
  liftSays,
  thresholdsSays,
  thresholdsTable,
  type WordTable,
} from "./html/decision-words.ts";
export {
  dependenceNote,
  dependenceSays,
  dependenceTable,
  dependenceUnit,
} from "./html/dependence-words.ts";
export {
  figure,
  percent,
  plural,
  score,
  seconds,
  shortened,
  weightTexts,
  whole,
} from "./html/format.ts";
export { printable } from "./html/markup.ts";
export { shapesNote, shapeUnit, termRows, termSays } from "./html/shape-words.ts";
export { worseThanTheBest } from "./html/worse-than-the-best.ts";
