/**
 * The report of one run, as data. `report.html` shows the same and nothing else. A section that has
 * nothing to show is absent. Numbers are finite; what is undefined is null.
 */

import { z } from "zod";
import { parameterValueSchema } from "../search/index.ts";
import { TASK_KINDS } from "../tasks/index.ts";
import { gainsSchema, thresholdsSchema } from "./decision-document.ts";
import { dependenceSchema } from "./dependence-document.ts";
import { forecastsSchema } from "./forecast-document.ts";
import { sequencesSchema } from "./sequence-document.ts";
import { shapesSchema } from "./shapes-document.ts";

export const REPORT_FORMAT = "distillery-report";
/** Raised when a member changes its meaning; new members do not raise it. */
export const REPORT_VERSION = 1;

const score = z.number().nullable();
const scores = z.record(z.string(), score);
const count = z.int().nonnegative();
const curve = z.array(z.tuple([z.number(), z.number()]));
const parameters = z.record(z.string(), parameterValueSchema);

const histogram = z.object({
  /** Equal widths: counts[i] are in [edges[i], edges[i + 1]), the last closed. */
  edges: z.array(z.number()),
  counts: z.array(count),
});

const columnSection = z.object({
  name: z.string(),
  kind: z.string(),
  role: z.enum(["label", "feature"]),
  missing: count,
  distinct: count,
  distinctIsEstimate: z.boolean(),
  /** Of numbers; of times in milliseconds since 1970. */
  numbers: z
    .object({
      min: z.number(),
      max: z.number(),
      mean: z.number(),
      std: z.number(),
      median: z.number(),
      histogram,
    })
    .optional(),
  values: count
    .optional()
    .describe("Of a channel: its steps that the figures are of, which are no rows of the run."),
  /** Values that are hardly meant, in words. */
  implausible: z.array(z.string()).optional(),
  /** The most frequent values of categories, booleans and texts. */
  top: z.array(z.object({ value: z.string(), count })).optional(),
});

const dataSection = z.object({
  rows: count,
  /** Rows that the columns were profiled on. */
  profiledRows: count,
  columns: z.array(columnSection),
  /** Features beyond those that were profiled. */
  columnsLeftOut: count,
  dropped: z.array(z.object({ name: z.string(), kind: z.string(), reason: z.string() })),
});

const trialSection = z.object({
  number: count,
  family: z.string(),
  state: z.enum(["finished", "failed", "pruned", "refused", "dropped", "running"]),
  /** Mean over the folds; of a pruned trial, over those that it finished. */
  scores: scores.nullable(),
  /** Of the first metric, by fold; null where it was not finished. */
  folds: z.array(score),
  /** Sample standard deviation of `folds`; null where fewer than two are known. */
  deviation: score,
  /** Of fitting, over its folds. */
  seconds: z.number(),
  /** Of predicting 1,000 rows by one of its fits; null where no fold was finished. */
  predictSeconds: score,
  parameters,
  reason: z.string().nullable(),
  /** In the first model; 0 where it is not part of it. */
  weight: z.number(),
});

const modelSection = z.object({
  kind: z.enum(["ensemble", "winner"]),
  metricWeights: z.array(z.number()),
  /** Whether a layer weighs the members' margins; else their predictions are averaged. */
  stacked: z.boolean(),
  /** What was tried of layers and thresholds. */
  notes: z.array(z.string()),
  /** On rows that its members did not learn from, of all folds together (pooled). */
  scores,
  /** The same predictions scored fold by fold: the mean over the folds; absent of one holdout. */
  meanFoldScores: scores.optional(),
  /** Other usual metrics of the task, on the same rows; of the first model. */
  otherScores: scores.optional(),
  members: z.array(z.object({ trial: count, family: z.string(), weight: z.number() })),
  refitted: z
    .boolean()
    .optional()
    .describe(
      "Whether each member is fitted once more on all of the data; else it is its folds' fits.",
    ),
});

const curveSection = z.object({
  trial: count,
  fold: count,
  family: z.string(),
  loss: z.string(),
  iterations: z.array(z.number()),
  values: z.array(z.number()),
});

const parameterSection = z.object({
  family: z.string(),
  trials: count,
  /** R² of the forest on trials that it has not seen. */
  fit: score,
  parameters: z.array(
    z.object({ name: z.string(), importance: z.number(), correlation: z.number().nullable() }),
  ),
});

const reliabilitySection = z.object({
  /** What the probabilities are of: a class, or null = the class that the model says. */
  of: z.string().nullable(),
  bins: z.array(
    z.object({
      predicted: z.number(),
      observed: z.number(),
      low: z.number(),
      high: z.number(),
      rows: count,
    }),
  ),
  calibrationError: z.number(),
});

const confusionSection = z.object({
  /** Null = the rarer classes together. */
  labels: z.array(z.string().nullable()),
  /** Row-major, true × predicted. */
  cells: z.array(count),
  accuracy: z.number(),
  classes: z.array(
    z.object({
      name: z.string(),
      rows: count,
      precision: score,
      recall: score,
      predicted: count.optional().describe("Rows that are predicted to be of the class."),
      f1: score
        .optional()
        .describe("Harmonic mean of precision and recall; null where both are undefined."),
    }),
  ),
  /** Of the second class, where there are two. */
  threshold: z.number().optional(),
  tunedWithoutRow: z
    .literal(true)
    .optional()
    .describe("Each row's class is by a threshold that was tuned without it, as in the scores."),
  unweighted: z.literal(true).optional().describe("Rows are counted, where the scores weigh them."),
});

const thresholdSection = z.object({
  of: z.string(),
  roc: curve,
  rocAuc: z.number(),
  precisionRecall: curve,
  averagePrecision: z.number(),
  prevalence: z.number(),
});

const residualSection = z.object({
  sample: curve,
  rows: count,
  histogram,
  below: count,
  above: count,
  mean: z.number(),
  medianAbsolute: z.number(),
  quantiles: z.array(z.object({ q: z.number(), value: z.number() })),
  groups: z
    .array(
      z.object({
        rows: count.describe("Rows of the group."),
        predicted: z.number().describe("Their mean prediction."),
        actual: z.number().describe("Their mean of the true values."),
        low: z.number().describe("The quantile .1 of their residuals."),
        median: z.number().describe("The median of their residuals."),
        high: z.number().describe("The quantile .9 of their residuals."),
      }),
    )
    .optional()
    .describe("Up to ten groups of about equally many rows, by ascending prediction."),
});

const quantileSection = z.object({
  rows: count,
  levels: z
    .array(
      z.object({
        level: z.number().describe("Level of the quantile, in (0, 1)."),
        observed: z.number().describe("Share of the rows that do not exceed their quantile."),
        low: z.number().describe("Lower end of the 95 % interval of `observed`."),
        high: z.number().describe("Upper end of it."),
        pinball: z.number().describe("Mean pinball loss of the level."),
      }),
    )
    .describe("By ascending level."),
  outer: z
    .object({
      nominal: z.number().describe("The share that should lie between the outermost levels."),
      measured: z.number().describe("The share of the rows that does."),
      meanWidth: z.number().describe("Mean distance between the two, in units of the label."),
    })
    .nullable()
    .describe("Rows between the outermost levels; null where there is one level."),
});

const importanceSection = z.array(
  z.object({ column: z.string(), importance: z.number(), deviation: z.number().optional() }),
);

const explanationSection = z.object({
  rows: count,
  space: z.string(),
  /** What the contributions move: a class, or null = the predicted value. */
  of: z.string().nullable(),
  columns: z.array(
    z.object({
      column: z.string(),
      /** Mean absolute contribution over the rows. */
      size: z.number(),
      /** `value` is the row's place among the column's values, 0 … 1; null without an order. */
      points: z.array(z.object({ contribution: z.number(), value: z.number().nullable() })),
    }),
  ),
});

/** Lines of figures that a room of the engine adds to a model's card. */
const figuresSection = z.object({
  note: z.string(),
  figures: z.array(z.object({ name: z.string(), value: z.union([z.number(), z.string()]) })),
});

/** The shape of `report.json`. */
export const reportSchema = z.object({
  format: z.literal(REPORT_FORMAT),
  version: z.int(),
  name: z.string(),
  /** What the reader should know before all else. */
  warnings: z.array(z.string()),
  run: z.object({
    task: z.enum(TASK_KINDS),
    label: z.string(),
    classes: z.array(z.string()),
    rows: count,
    features: count,
    columns: count,
    splitter: z.string(),
    folds: count,
    metrics: z.array(z.object({ name: z.string(), direction: z.enum(["minimize", "maximize"]) })),
    families: z.array(z.object({ family: z.string(), reason: z.string(), used: z.boolean() })),
    trials: z.record(z.string(), count),
    started: z.string().nullable(),
    /** From the plan to the last event. */
    seconds: z.number().nullable(),
    /** Of a run under a time budget: its seconds, and what it cut, one sentence each. */
    budget: z.object({ seconds: z.number(), cut: z.array(z.string()) }).optional(),
    /** Why the search ended before its last trial. */
    stopped: z.string().nullable(),
    config: z.record(z.string(), z.unknown()),
  }),
  models: z.array(modelSection),
  /** What answers that look at no column score on the same rows, by metric: the best of them. */
  baseline: z.record(z.string(), z.object({ answer: z.string(), score })),
  /** Where rows are in the order of time: what the last value before each fold scores, by metric. */
  lastValue: scores.optional(),
  /** Of the first model, in one thread on the machine that wrote the report. */
  predicting: z.object({ rows: count, seconds: z.number() }).optional(),
  data: dataSection,
  /** Best first; the finished ones. */
  leaderboard: z.array(count),
  /** By number; of very many the best, and others evenly spaced. */
  trials: z.array(trialSection),
  trialsLeftOut: count,
  learningCurves: z.array(curveSection).optional(),
  parameterImportance: z.array(parameterSection).optional(),
  /** Of a sweep over several metrics. */
  pareto: figuresSection.optional(),
  reliability: reliabilitySection.optional(),
  confusion: confusionSection.optional(),
  thresholdCurves: z.array(thresholdSection).optional(),
  gains: gainsSchema
    .optional()
    .describe("Of two classes: rows in the order of their probability, in tenths."),
  thresholds: thresholdsSchema
    .optional()
    .describe("Of two classes: what thresholds between them do."),
  residuals: residualSection.optional(),
  quantiles: quantileSection
    .optional()
    .describe("The calibration of the predicted quantiles; absent for other kinds of task."),
  forecasts: forecastsSchema
    .optional()
    .describe("Forecasts, and how they were checked; absent of kinds without series."),
  seriesScores: z
    .object({
      leftOut: count.describe("Series that are not named: those that were forecast best."),
      series: z
        .array(
          z.object({
            name: z.string().describe("The values of the columns that tell series apart."),
            count: count.describe("Forecasts of observed values, of all windows."),
            scores: scores.describe("Of its forecasts in all windows, by metric."),
          }),
        )
        .describe("The series, the worst first."),
    })
    .optional()
    .describe("Of forecasts, how well each series was forecast out of fold, the worst first."),
  sequences: sequencesSchema
    .optional()
    .describe("What stretches of time the model goes by; absent of kinds without sequences."),
  importance: z.object({ gain: importanceSection, permutation: importanceSection }),
  explanation: explanationSection.optional(),
  dependence: dependenceSchema
    .optional()
    .describe(
      "How predictions change with single columns; absent where rows are not predicted one by one, and where no column's single values mean something.",
    ),
  shapes: shapesSchema
    .optional()
    .describe("The functions that an additive model is a sum of; absent where no member is one."),
  uncertainty: figuresSection.optional(),
  distillation: figuresSection.optional(),
  environment: z.record(z.string(), z.string()),
});

/** What a run did, in figures: `report.json`. */
export type RunReport = z.infer<typeof reportSchema>;
export type TrialSection = RunReport["trials"][number];
export type ColumnSection = RunReport["data"]["columns"][number];
