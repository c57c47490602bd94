/** How long the model takes to predict: what its user waits for. */

import { tableFromMatrix } from "../../data/records.ts";
import type { Model } from "../../model/model.ts";
import { typeOf } from "../../tasks/index.ts";
import { type DataProfile, evenlySpaced } from "../../trainer/plan/data-profile.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import { secondsOfSequences } from "./sequences.ts";

const TIMED_ROWS = { most: 1000, least: 100 };
const TIMED_SEQUENCES = 100;
const TIMED_SERIES = 20;

/** Of rows, sequences or steps to forecast, whichever the model predicts. */
export interface PredictingTime {
  readonly rows: number;
  readonly seconds: number;
}

/**
 * @param sample of rows that are predicted by themselves; else null
 * @param seconds within which they may be fewer, as long as they are not very few
 */
export function predictingTime(
  model: Model,
  run: PreparedRun,
  sample: DataProfile["sample"] | null,
  seconds: number,
): PredictingTime | null {
  if (sample !== null) return timeOfRows(model, sample, seconds);
  return secondsOfSequences(model, run, TIMED_SEQUENCES) ?? timeOfSeries(model, run);
}

/** @param sample at least one row; they are repeated */
function timeOfRows(
  model: Model,
  { columns, data }: DataProfile["sample"],
  seconds: number,
): PredictingTime {
  const timed = (count: number): PredictingTime => {
    const rows = Array.from({ length: count }, (_, row) => data[row % data.length]);
    const { table } = tableFromMatrix(columns, rows, model.document.schema);
    const began = performance.now();
    model.predict(table);
    return { rows: count, seconds: (performance.now() - began) / 1000 };
  };
  const { most, least } = TIMED_ROWS;
  // The first call makes what later ones reuse.
  const first = timed(least);
  if (first.seconds > seconds) return first;
  const few = timed(least);
  const affordable = (least * (seconds - first.seconds - few.seconds)) / few.seconds;
  return affordable < 2 * least ? few : timed(Math.min(most, Math.floor(affordable)));
}

/** All steps of some series. */
function timeOfSeries(model: Model, run: PreparedRun): PredictingTime | null {
  const { frame } = run.data;
  const calendar = run.savedFrame && typeOf(run.task).framing?.calendar?.(run.savedFrame);
  if (frame?.kind !== "series" || !calendar) return null;
  const some = [...evenlySpaced(frame.names.length, TIMED_SERIES)];
  const series = some.flatMap((each) => calendar.askedAs(each).series ?? []);
  const began = performance.now();
  const { values } = model.predict({ rows: 0, columns: [] }, series.length > 0 ? { series } : {});
  return { rows: values.length, seconds: (performance.now() - began) / 1000 };
}
