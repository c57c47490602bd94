/**
 * What stretches of sequences the model goes by: of one typical sequence a class, and on average. The model
 * itself is asked, most of whose members have learned from these sequences.
 */

import { type EncodedData, frameFeatures } from "../../data/encoded.ts";
import { type SequenceFrame, takeSequences } from "../../data/frame.ts";
import { ShuffledFeatures } from "../../explain/permutation-importance.ts";
import type { Model } from "../../model/model.ts";
import {
  explainSegments,
  leastAsked,
  MOST_ASKED,
  MOST_PLAYERS,
  type SegmentExplanation,
} from "../../model/segment-explanation.ts";
import { hasClasses, outputCount, type Task } from "../../tasks/index.ts";
import { evenlySpaced } from "../../trainer/plan/data-profile.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import { outOfFoldRows } from "../../trainer/pool-tasks/select.ts";
import type { SequencesSection } from "../sequence-document.ts";
import { spread } from "./explanation.ts";

const PARTS = 8;
const LEAST_PARTS = 2;
const MOST_CLASSES = 4;
/** Of classes: a sequence that is as sure as this share of its class; of values, as large as. */
const TYPICAL = 0.5;
const TYPICAL_VALUES = [0.1, 0.5, 0.9];
const MOST_EXPLAINED = 30;
/** Copies of a sequence that are predicted to see what one costs. */
const PRICED = 8;
/** Of the time, for typical sequences. */
const TYPICAL_SHARE = 0.8;
/** Of the time, that may be spent on the average beside the typical ones. */
const AVERAGE_SHARE = 0.2;
const DRAWN_CHANNELS = 4;
const DRAWN_POINTS = 400;

export interface SequenceSources {
  readonly run: PreparedRun;
  readonly model: Model;
  /** Row-major over `outOfFoldRows`. */
  readonly predictions: Float64Array;
  /** That explaining may take; 0: none is. */
  readonly seconds: number;
}

/** Null where rows are no sequences, and where there is no time for a single one. */
export function sequencesSection(sources: SequenceSources): SequencesSection | null {
  const { run, model, seconds } = sources;
  const { frame } = run.data;
  if (frame?.kind !== "sequences" || seconds <= 0) return null;
  const columns = new Set(frameFeatures(frame).map(({ column }) => column)).size;
  const began = performance.now();
  const spent = (): number => (performance.now() - began) / 1000;
  const explained = new Map<number, SegmentExplanation>();
  const typical = typicalRows(sources);
  predictCopies(model, encodingsOf(run), frame, typical[0].row, 1);
  const warm = spent();
  predictCopies(model, encodingsOf(run), frame, typical[0].row, PRICED);
  const one = (spent() - warm) / PRICED;
  const affordable = (TYPICAL_SHARE * seconds) / (one * typical.length);
  const parts = partsWithin(columns, affordable);
  if (parts < 1) return null;
  let price = one * Math.max(leastAsked(parts * columns), Math.min(MOST_ASKED, affordable));
  const explain = (row: number): void => {
    const before = spent();
    explained.set(row, explainRow(sources, frame, row, { parts, asked: affordable }));
    price = spent() - before;
  };
  for (const { row } of typical) {
    if (explained.size > 0 && spent() + price > seconds) break;
    explain(row);
  }
  for (const row of spread(frame.count)) {
    const isLate = spent() + price > AVERAGE_SHARE * seconds;
    if (isLate || explained.size >= MOST_EXPLAINED) break;
    if (!explained.has(row)) explain(row);
  }
  return {
    space: hasClasses(run.task) ? "probability" : "identity",
    explained: explained.size,
    parts,
    sizes: sizesOf([...explained.values()], parts),
    typical: typical.flatMap((each) => {
      const found = explained.get(each.row);
      return found ? [typicalSection(run, frame, each, found)] : [];
    }),
  };
}

/** As many as there is time for; 0: not even the fewest. */
function partsWithin(columns: number, affordable: number): number {
  for (let parts = PARTS; parts >= LEAST_PARTS; parts--) {
    const players = parts * columns;
    if (players <= MOST_PLAYERS && leastAsked(players) <= affordable) return parts;
  }
  return 0;
}

/** Seconds that predicting so many sequences takes, without reading and encoding them. */
export function secondsOfSequences(
  model: Model,
  run: PreparedRun,
  most: number,
): { readonly rows: number; readonly seconds: number } | null {
  const { frame } = run.data;
  if (frame?.kind !== "sequences") return null;
  const rows = Uint32Array.from(evenlySpaced(frame.count, most));
  const [one] = rows;
  predictCopies(model, encodingsOf(run), frame, one, 1);
  const began = performance.now();
  model.predictEncoded(encodingsOf(run), rows);
  return { rows: rows.length, seconds: (performance.now() - began) / 1000 };
}

/** One a file of bins of the model. */
function encodingsOf({ data, foldData }: PreparedRun): readonly EncodedData[] {
  return foldData ? foldData : [data];
}

interface TypicalRow {
  readonly row: number;
  /** Null of values. */
  readonly classIndex: number | null;
  readonly heldOut: number;
}

function typicalRows({ run, predictions }: SequenceSources): TypicalRow[] {
  const { task, target } = run;
  const rows = outOfFoldRows(run);
  const outputs = outputCount(task);
  if (!hasClasses(task)) {
    const byValue = [...rows.keys()].sort((a, b) => target[rows[a]] - target[rows[b]]);
    return TYPICAL_VALUES.map((share) => {
      const at = byValue[Math.round(share * (byValue.length - 1))];
      return { row: rows[at], classIndex: null, heldOut: predictions[at] };
    });
  }
  const ofClass = task.classes.map((_, k) =>
    [...rows.keys()].filter((at) => target[rows[at]] === k),
  );
  return [...ofClass.keys()]
    .filter((k) => ofClass[k].length > 0)
    .sort((a, b) => ofClass[b].length - ofClass[a].length || a - b)
    .slice(0, MOST_CLASSES)
    .sort((a, b) => a - b)
    .map((k) => {
      const sure = (at: number): number => probabilityOf(task, predictions, at, outputs, k);
      const own = ofClass[k].sort((a, b) => sure(a) - sure(b) || a - b);
      const at = own[Math.round(TYPICAL * (own.length - 1))];
      return { row: rows[at], classIndex: k, heldOut: sure(at) };
    });
}

function probabilityOf(
  task: Task,
  predictions: Float64Array,
  at: number,
  outputs: number,
  k: number,
): number {
  if (outputs > 1) return predictions[at * outputs + k];
  return task.classes.length === 2 && k === 0 ? 1 - predictions[at] : predictions[at];
}

function explainRow(
  { run, model }: SequenceSources,
  frame: SequenceFrame,
  row: number,
  { parts, asked }: { readonly parts: number; readonly asked: number },
): SegmentExplanation {
  const encodings = encodingsOf(run);
  return explainSegments({
    frame: takeSequences(frame, Uint32Array.of(row)),
    segments: parts,
    asked,
    predict: (masked) => predictFrame(model, encodings, row, masked),
  });
}

function predictCopies(
  model: Model,
  encodings: readonly EncodedData[],
  frame: SequenceFrame,
  row: number,
  copies: number,
): void {
  const masked = takeSequences(frame, new Uint32Array(copies).fill(row));
  predictFrame(model, encodings, row, masked);
}

/** Sequences that share the columns that one has beside its channels. */
function predictFrame(
  model: Model,
  encodings: readonly EncodedData[],
  row: number,
  frame: SequenceFrame,
): Float64Array {
  const rows = new Uint32Array(frame.count).fill(row);
  const over = (done: readonly EncodedData[]): Float64Array =>
    done.length === encodings.length
      ? model.predictEncoded(done, null)
      : ShuffledFeatures.over(encodings[done.length], rows, ({ data }) =>
          over([...done, { ...data, frame }]),
        );
  return over([]);
}

function sizesOf(
  explained: readonly SegmentExplanation[],
  parts: number,
): SequencesSection["sizes"] {
  const sums = new Map<string, Float64Array>();
  for (const { segments } of explained) {
    const steps = segments.reduce((most, { end }) => Math.max(most, end), 0);
    for (const { column, start, contributions } of segments) {
      const own = sums.get(column) ?? new Float64Array(parts);
      sums.set(column, own);
      // A sequence that is shorter than the parts has one a step: each is in the part of its place.
      const part = Math.min(parts - 1, Math.round((start * parts) / steps));
      for (const value of contributions) {
        own[part] += Math.abs(value) / contributions.length / explained.length;
      }
    }
  }
  return [...sums].flatMap(([column, own]) =>
    Array.from(own, (size, part) => ({ column, part: part + 1, size })),
  );
}

function typicalSection(
  { task, target }: PreparedRun,
  frame: SequenceFrame,
  { row, classIndex, heldOut }: TypicalRow,
  found: SegmentExplanation,
): SequencesSection["typical"][number] {
  const [from, to] = [frame.offsets[row], frame.offsets[row + 1]];
  const isFirstOfTwo = classIndex === 0 && found.predictions.length === 1;
  const output = found.predictions.length === 1 ? 0 : (classIndex ?? 0);
  const sign = isFirstOfTwo ? -1 : 1;
  const shown = (probability: number): number => (isFirstOfTwo ? 1 - probability : probability);
  const segments = found.segments.map(({ column, start, end, contributions, errors }) => ({
    column,
    start,
    end,
    contribution: sign * contributions[output],
    error: errors[output],
  }));
  const size = (column: string): number =>
    segments.reduce(
      (sum, each) => sum + (each.column === column ? Math.abs(each.contribution) : 0),
      0,
    );
  const columns = [...new Set(frame.columns)].sort((a, b) => size(b) - size(a));
  return {
    row,
    of: classIndex === null ? null : task.classes[classIndex],
    actual: classIndex === null ? target[row] : null,
    heldOut,
    prediction: shown(found.predictions[output]),
    base: shown(found.baseValues[output]),
    exact: found.exact,
    steps: to - from,
    channels: columns.slice(0, DRAWN_CHANNELS).map((column) => {
      const values = frame.values[frame.columns.indexOf(column)];
      return {
        column,
        points: Array.from(
          evenlySpaced(to - from, DRAWN_POINTS),
          (step): [number, number | null] => [
            step,
            Number.isNaN(values[from + step]) ? null : values[from + step],
          ],
        ),
      };
    }),
    segments,
  };
}
