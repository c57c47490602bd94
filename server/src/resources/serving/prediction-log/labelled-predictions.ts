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

/** What there is of a window. */
export interface LabelledWindow {
  /** Rows that were logged, by the id of the model. */
  readonly logged: ReadonlyMap<string, number>;
  /** By time. */
  readonly labels: readonly LabelRow[];
  readonly files: readonly LabelledFile[];
  /** False where these are only the latest. */
  readonly complete: boolean;
}

export async function labelledWindow(
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
  const files = within(found.files).toReversed();
  return {
    logged: new Map(found.counts.map(({ model_id, rows }) => [model_id, rows])),
    labels,
    files,
    complete: labels.length === found.labels.length && files.length === found.files.length,
  };
}

/** All of them, without inputs. */
export async function labelledPredictions(
  ctx: AuthedContext,
  { labels, files }: LabelledWindow,
): Promise<readonly LabelledPrediction[]> {
  const predictions: LabelledPrediction[] = [];
  const open = [...files];
  const next = async (): Promise<void> => {
    for (let file = open.shift(); file !== undefined; file = open.shift()) {
      predictions.push(...(await inFile(ctx, file, labels, false)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  // In whatever order they came, resampled rows are the same.
  return predictions.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** With inputs, file by file in the order of time. */
export async function* labelledByFile(
  ctx: AuthedContext,
  { labels, files }: LabelledWindow,
): AsyncGenerator<readonly LabelledPrediction[]> {
  for (const file of files) yield await inFile(ctx, file, labels, true);
}

function within(files: readonly LabelledFile[]): readonly LabelledFile[] {
  let bytes = 0;
  return files.slice(0, MOST_FILES).filter((file) => {
    bytes += file.bytes;
    return bytes <= MOST_BYTES;
  });
}

async function inFile(
  { services, auth }: AuthedContext,
  { id, first_at, last_at }: LabelledFile,
  labels: readonly LabelRow[],
  withInputs: boolean,
): Promise<readonly LabelledPrediction[]> {
  const of = labels.slice(
    placeOf(labels, first_at.getTime()),
    placeOf(labels, last_at.getTime() + 1),
  );
  if (of.length === 0) return [];
  const { compute, objects } = services;
  const known = of.map((each) => [labelKey(each.prediction_id, each.row_index), each.label]);
  try {
    const file = await readAll(objects.get(logFileKey(auth.organizationId, id)));
    return await compute.predictionLog.labelled({
      file,
      labels: Object.fromEntries(known),
      withInputs,
    });
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
