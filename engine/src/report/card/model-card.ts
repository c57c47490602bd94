/**
 * A model's card: what it is, what it reads, how good it was found to be, where its limits are, and how
 * to call it. Everything is read off the model itself, and what only its keeper knows comes beside it.
 */

import { z } from "zod";
import { formatTimestamp } from "../../data/readers/timestamp-text.ts";
import type { Model } from "../../model/model.ts";
import { METRICS } from "../../tasks/fitting-metrics.ts";
import { hasClasses, typeOf } from "../../tasks/index.ts";
import { rangesOf, usualRow } from "./usual-row.ts";

/** Categories that a card names, the most frequent first. */
const NAMED_CATEGORIES = 20;

const keeperSchema = z.object({
  id: z.string().describe("The model's."),
  name: z.string().describe("Its registered name, or what the run called it."),
  version: z.int().nullable().describe("Of its registered name; null = it has none."),
  aliases: z.array(z.string()).describe("That lead to it."),
  tags: z.record(z.string(), z.string()).describe("Texts by key, as people wrote them."),
  notes: z.string().describe("What people wrote about it."),
  created_at: z.string().nullable().describe("When it was made."),
  job_id: z.string().nullable().describe("The training job that made it."),
  dataset: z
    .object({
      id: z.string().describe("The dataset's."),
      name: z.string().nullable().describe("null: it has been deleted."),
      rows: z.int().nullable().describe("That the dataset has."),
      hash: z.string().nullable().describe("SHA-256 of the bytes that were sent."),
    })
    .nullable()
    .describe("What it was trained on."),
});

/** What a model's file does not know of it: names, and where its data came from. */
export type CardKeeper = z.infer<typeof keeperSchema>;

const inputSchema = z.object({
  column: z.string().describe("Its name."),
  kind: z.string().describe("How its cells are read."),
  nullable: z.boolean().describe("Whether cells were missing in the training data."),
  range: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe(
      "Of numbers: the least and the greatest of the `range_rows` training rows; where that is null, the outermost edges of bins, between which most lay.",
    ),
  range_rows: z
    .int()
    .nullable()
    .describe("Training rows that `range` is of; null: it is of bins, or there is none."),
  earliest: z.string().nullable().describe("Of times, the first in the training data."),
  categories: z.array(z.string()).describe("The most frequent ones first, 20 at most."),
  category_count: z.int().nullable().describe("That are told apart; null = it has none."),
});

const measure = z.number().nullable();

/** The card as JSON. */
export const modelCardSchema = keeperSchema.extend({
  task: z.object({
    kind: z.string(),
    title: z.string(),
    label: z.string(),
    classes: z.array(z.string()),
  }),
  answers: z.string().describe("What a prediction is."),
  kind: z.enum(["ensemble", "winner"]).describe("A blend, or the best trial alone."),
  members: z.array(
    z.object({
      family: z.string(),
      count: z.int(),
      share: z.number().describe("Of the weights of all members."),
    }),
  ),
  calibrated: z.array(z.string()).describe("By what its members' probabilities are."),
  threshold: z
    .number()
    .nullable()
    .describe("Of two classes: the probability from which on the second is said."),
  inputs: z.array(inputSchema).describe("The columns that it reads."),
  ignored: z
    .array(z.object({ column: z.string(), reason: z.string() }))
    .describe("Columns of the training data that it does not read."),
  rows: z.int().describe("That it was trained on."),
  config: z
    .record(z.string(), z.unknown())
    .describe("The run's configuration, as it was resolved."),
  scores: z.array(
    z.object({
      metric: z.string(),
      better: z.enum(["higher", "lower"]).describe("Which scores are."),
      score: measure,
      mean_over_folds: measure.describe("Where folds were scored one by one."),
    }),
  ),
  validation: z.string().describe("How rows were held out."),
  trials: z.object({
    planned: z.int().describe("That the run was to try."),
    finished: z.int().describe("Of all folds."),
    failed: z.int().describe("Those that ended with an error."),
  }),
  importance: z.array(z.object({ column: z.string(), importance: z.number(), deviation: measure })),
  importance_by: z.enum(["permutation", "gain"]).describe("By what columns are ranked."),
  uncertainty: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("How well its intervals or sets were found to hold."),
  fidelity: z.record(z.string(), z.unknown()).nullable().describe("Of a student, to its teacher."),
  warnings: z.array(z.string()).describe("Of its run."),
  notes_of_run: z.array(z.string()).describe("What was tried, and what came of it."),
  limits: z.array(z.string()).describe("What it should not be trusted with."),
  environment: z.record(z.string(), z.string()).describe("Versions that it was made with."),
  calls: z
    .array(
      z.object({
        title: z.string(),
        language: z.string().describe("`sh`, `js` or `python`."),
        code: z.string().describe("As it may be run."),
      }),
    )
    .describe("How it is called, with a row of its own columns."),
  example: z
    .record(z.string(), z.unknown())
    .describe("A row that it takes, of values that are usual in the training data."),
});

/** A model's card. */
export type ModelCardDocument = z.infer<typeof modelCardSchema>;

/**
 * A model's card, read off the model and what its keeper knows.
 *
 * @param keeper what the model's file does not say
 * @param calls how it is called, given a row that it takes
 */
export function buildModelCard(
  model: Model,
  keeper: CardKeeper,
  calls: (example: Readonly<Record<string, unknown>>) => ModelCardDocument["calls"],
): ModelCardDocument {
  const { document } = model;
  const { card, task, labelColumn, members, schema } = document;
  const { title } = typeOf(task);
  const inputs = inputsOf(model);
  const example = usualRow(model);
  const permutation = card.importance.permutation.length > 0;
  const importance = permutation ? card.importance.permutation : card.importance.gain;
  return {
    ...keeper,
    task: { kind: task.kind, title, label: labelColumn, classes: [...task.classes] },
    answers: answersOf(model),
    kind: document.kind,
    members: membersOf(members),
    calibrated: [...new Set(members.flatMap(({ calibration }) => calibration?.kind ?? []))],
    threshold: document.threshold,
    inputs,
    ignored: schema.dropped
      .filter(({ name }) => name !== labelColumn)
      .map(({ name, reason }) => ({ column: name, reason })),
    rows: card.rows,
    config: { ...card.config },
    scores: Object.entries(card.scores).map(([metric, score]) => ({
      metric,
      better:
        METRICS.find(({ name }) => name === metric)?.direction === "minimize" ? "lower" : "higher",
      score,
      mean_over_folds: card.meanFoldScores?.[metric] ?? null,
    })),
    validation: card.splitter,
    trials: {
      planned: card.trials.planned,
      finished: card.trials.finished,
      failed: card.trials.failed,
    },
    importance: importance.map(({ column, importance: value, deviation }) => ({
      column,
      importance: value,
      deviation: deviation ?? null,
    })),
    importance_by: permutation ? "permutation" : "gain",
    uncertainty: card.uncertainty ? { ...card.uncertainty } : null,
    fidelity: card.fidelity ? { ...card.fidelity } : null,
    warnings: [...card.warnings],
    notes_of_run: [...(card.notes ?? [])],
    limits: limitsOf(model),
    environment: { ...card.environment },
    calls: calls(example),
    example,
  };
}

function answersOf({ document }: Model): string {
  const { task, labelColumn, conformal, threshold } = document;
  const { framing } = typeOf(task);
  const each = framing?.kind === "series" ? "step of each series" : framing ? "sequence" : "row";
  if (!hasClasses(task)) {
    const around = conformal === null ? "" : ", with an interval around it";
    return `For each ${each} a value of ${labelColumn}${around}.`;
  }
  const decision =
    threshold === null
      ? "the most probable class"
      : `${task.classes[1]} from a probability of ${Number(threshold.toPrecision(4))} on, else ${task.classes[0]}`;
  return `For each ${each} the probabilities of ${task.classes.length} classes of ${labelColumn}, and a label: ${decision}.`;
}

function membersOf(members: Model["document"]["members"]): ModelCardDocument["members"] {
  const total = members.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
  const families = new Map<string, { count: number; share: number }>();
  for (const { family, weight } of members) {
    const known = families.get(family) ?? { count: 0, share: 0 };
    known.count++;
    known.share += total === 0 ? 0 : Math.abs(weight) / total;
    families.set(family, known);
  }
  return [...families]
    .map(([family, rest]) => ({ family, ...rest }))
    .sort((a, b) => b.share - a.share);
}

function inputsOf(model: Model): ModelCardDocument["inputs"] {
  const ranges = rangesOf(model);
  const nullable = new Map(model.document.columns.map((column) => [column.name, column.nullable]));
  return model.inputs.columns.map((source) => {
    const categories = source.kind === "categorical" ? source.categories : null;
    const numbers = ranges.get(source.name);
    return {
      column: source.name,
      kind: source.kind,
      nullable: nullable.get(source.name) ?? false,
      range: numbers ? [...numbers.range] : null,
      range_rows: numbers?.rows ?? null,
      earliest: source.kind === "timestamp" ? formatTimestamp(source.origin) : null,
      categories: categories?.slice(0, NAMED_CATEGORIES) ?? [],
      category_count: categories?.length ?? null,
    };
  });
}

/** Families whose files hold what they learned from, row by row or sequence by sequence. */
const KEEP_ROWS = new Map([
  ["gaussian_process", "the rows of its Gaussian processes, as scaled numbers and codes"],
  ["dtw_knn", "the sequences of its nearest neighbours"],
]);

function limitsOf({ document }: Model): string[] {
  const { task, schema, conformal, card } = document;
  const families = new Set(document.members.map(({ family }) => family));
  const kept = [...KEEP_ROWS].flatMap(([family, what]) => (families.has(family) ? [what] : []));
  const capped = schema.columns.filter(
    (source) => source.kind === "categorical" && source.omitted > 0,
  );
  return [
    "Its scores are of rows like those that it was trained on; it knows nothing of rows that are made in another way, or at a later time, unless its folds were ordered in time.",
    ...(families.has("gaussian_process")
      ? [
          `Far from all rows that they learned from, Gaussian processes draw near to ${hasClasses(task) ? "the shares of the classes" : "the average"}.`,
        ]
      : []),
    ...([...families].some((family) => family !== "gaussian_process")
      ? [
          "Numbers beyond those of the training data are answered as if they lay near them by trees, where it has any, and by straight lines or levels by its other parts.",
        ]
      : []),
    ...(kept.length > 0
      ? [
          `Its files, archive and exports hold training data: ${kept.join(" and ")}. Who has them can read much of it back.`,
        ]
      : []),
    ...(capped.length > 0
      ? [
          `Of ${capped.map(({ name }) => name).join(", ")} only the most frequent categories are told apart; the others are as one.`,
        ]
      : []),
    "A category that the training data do not have is answered as a missing or a rare one, with a warning.",
    ...(hasClasses(task)
      ? [`It never says a label other than the ${task.classes.length} that it was trained on.`]
      : []),
    ...(conformal === null
      ? ["Its predictions come without intervals or sets."]
      : [
          "Its intervals or sets hold their coverage on the average of all rows, not for each group of them.",
        ]),
    ...(card.rows < 1000 ? [`It was trained on ${card.rows} rows, which is few.`] : []),
    ...schema.notes,
  ];
}
