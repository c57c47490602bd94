/** Logged predictions of a window whose label is known, read from the files of the log. */

import type { AuthedContext } from "../../../api/context/context.ts";
import {
  type LabelledPrediction,
  labelKey,
} from "../../../platform/compute/prediction-log/labelled-rows.ts";
import { ObjectNotFoundError, readAll } from "../../../platform/objects/object-store.ts";
import {
  countLogged,
  type LabelledFile,
  type LabelRow,
  labelledFiles,
  listLabels,
  type Window,
} from "./store.ts";
import { logFileKey } from "./stored-log.ts";

/** Of the latest predictions; what is beyond is told. */
const MOST_LABELS = 50_000;
const MOST_FILES = 2_000;
const MOST_BYTES = 256 * 2 ** 20;
/** Files that are fetched at once. */
const AT_ONCE = 4;

export interface LabelledWindow {
  /** Rows that were logged, by the id of the model. */
  readonly logged: ReadonlyMap<string, number>;
  readonly predictions: readonly LabelledPrediction[];
  /** Labels whose prediction is not in a file, as it is not written yet or was lost. */
  readonly unmatched: number;
  /** False where only the latest were read. */
  readonly complete: boolean;
}

export async function labelledPredictions(
  { services, auth }: AuthedContext,
  window: Window,
): Promise<LabelledWindow> {
  const { organizationId } = auth;
  const found = await services.db.forOrganization(organizationId, async (sql) => ({
    counts: await countLogged(sql, organizationId, window),
    labels: await listLabels(sql, organizationId, window, MOST_LABELS + 1),
    files: await labelledFiles(sql, organizationId, window, MOST_FILES + 1),
  }));
  const labels = found.labels.slice(0, MOST_LABELS).toReversed();
  const files = within(found.files);
  const complete = labels.length === found.labels.length && files.length === found.files.length;
  const predictions: LabelledPrediction[] = [];
  const open = [...files];
  const next = async (): Promise<void> => {
    for (let file = open.shift(); file !== undefined; file = open.shift()) {
      predictions.push(...(await inFile(services, organizationId, file, labels)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  // In whatever order they came, resampled rows are the same.
  predictions.sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    logged: new Map(found.counts.map(({ model_id, rows }) => [model_id, rows])),
    predictions,
    unmatched: labels.length - predictions.length,
    complete,
  };
}

function within(files: readonly LabelledFile[]): readonly LabelledFile[] {
  let bytes = 0;
  return files.slice(0, MOST_FILES).filter((file) => {
    bytes += file.bytes;
    return bytes <= MOST_BYTES;
  });
}

async function inFile(
  { compute, objects }: AuthedContext["services"],
  organizationId: string,
  { id, first_at, last_at }: LabelledFile,
  labels: readonly LabelRow[],
): Promise<readonly LabelledPrediction[]> {
  const of = labels.slice(
    placeOf(labels, first_at.getTime()),
    placeOf(labels, last_at.getTime() + 1),
  );
  if (of.length === 0) return [];
  try {
    const file = await readAll(objects.get(logFileKey(organizationId, id)));
    const known = of.map((each) => [labelKey(each.prediction_id, each.row_index), each.label]);
    return await compute.predictionLog.labelled({ file, labels: Object.fromEntries(known) });
  } catch (error) {
    // Its days were over in between.
    if (error instanceof ObjectNotFoundError) return [];
    throw error;
  }
}

/** The first label, by time, that is not before. */
function placeOf(labels: readonly LabelRow[], time: number): number {
  let [low, high] = [0, labels.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((labels[middle]?.predicted_at.getTime() ?? time) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
