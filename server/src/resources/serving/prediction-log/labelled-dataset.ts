/** A dataset of logged predictions whose label is known: what was sent, and what turned out to be true. */

import { placeOfClass } from "@distillery/engine";
import type { AuthedContext } from "../../../api/context/context.ts";
import type { LabelledPrediction } from "../../../platform/compute/prediction-log/labelled-rows.ts";
import { unprocessable } from "../../../platform/input/problem.ts";
import { type DatasetRow, registerDataset } from "../../datasets/service.ts";
import type { ModelKinds } from "../../models/kind.ts";
import type { ServedModel } from "../served-models.ts";
import { requireEndpoint } from "../service.ts";
import { servedModel } from "./feedback.ts";
import { labelledByFile, labelledWindow } from "./labelled-predictions.ts";
import { type AskedWindow, windowOf } from "./window.ts";

/** @throws 404, 409 where no model says what the columns are, 422 where there is nothing, or too much; 507 */
export async function registerLabelled(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
  { name, ...asked }: AskedWindow & { readonly name: string },
): Promise<DatasetRow> {
  const { since, until } = windowOf(asked, "body");
  const endpoint = await requireEndpoint(ctx, reference);
  const { answering } = await servedModel(ctx, kinds, endpoint);
  const found = await labelledWindow(ctx, { endpointId: endpoint.id, since, until });
  if (!found.complete) {
    throw unprocessable(
      ["body", "since"],
      "there are more labelled predictions than one dataset is made of (50,000, or 2,000 files of the log); ask for a shorter time",
    );
  }
  const columns = new Set<string>();
  let rows = 0;
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const predictions of labelledByFile(ctx, found)) {
      const texts = predictions.flatMap((each) => lineOf(answering, each, columns));
      rows += texts.length;
      if (texts.length > 0) yield Buffer.from(texts.join(""));
    }
    if (rows === 0) {
      throw unprocessable(["body"], "no prediction of that time has a label and is in a file yet");
    }
  }
  return registerDataset(ctx, async (store) => {
    await store(lines());
    const known = answering.columns.filter((column) => columns.has(column.name));
    return {
      name,
      format: "ndjson",
      kinds: Object.fromEntries(known.map(({ name: column, kind }) => [column, kind])),
      source: {
        kind: "prediction_log",
        endpoint_id: endpoint.id,
        endpoint: endpoint.name,
        since: since.toISOString(),
        until: until.toISOString(),
      },
    };
  });
}

/** @param columns is told the names of what was sent; nothing where the label is no class any more */
function lineOf(
  { task, classes }: ServedModel["answering"],
  { inputs, label }: LabelledPrediction,
  columns: Set<string>,
): string[] {
  if (classes.length > 0 && placeOfClass(classes, label) < 0) return [];
  const row: Record<string, unknown> = JSON.parse(inputs);
  for (const column of Object.keys(row)) columns.add(column);
  columns.delete(task.label_column);
  const truth = classes.length > 0 ? label : Number(label);
  return [`${JSON.stringify({ ...row, [task.label_column]: truth })}\n`];
}
