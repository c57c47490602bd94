/** The model of a batch prediction: found by what the caller wrote, and what its columns will be. */

import type { ColumnKind, ModelFile } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import type { Services } from "../../api/services.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import type { DateOrder, DateOrders } from "../../query/sql/scan.ts";
import type { ModelKinds } from "../models/kind.ts";
import {
  findModel,
  localModels,
  type ModelScene,
  requireModel,
  type StoredDocument,
} from "../models/service.ts";

export interface FoundModel {
  readonly id: string;
  readonly name: string;
  readonly document: StoredDocument;
  readonly files: readonly ModelFile[];
}

/** @param reference an id, or whatever names a model @throws 403, 404, 409 while it predicts nothing */
export async function findPredictor(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
): Promise<FoundModel> {
  assertScope(ctx, "models:read");
  return predictorOf(ctx, kinds, reference);
}

/** For whom it was checked that they may. @throws 404, 409 while it predicts nothing */
export async function predictorOf(
  scene: ModelScene,
  kinds: ModelKinds,
  reference: string,
): Promise<FoundModel> {
  const { kind, row } = await requireModel(scene, kinds, reference);
  if (kind.whyNoPredictions !== null) throw conflict(kind.whyNoPredictions);
  kind.assertCompleted(row);
  const model = await findModel(scene.services.db, scene.auth.organizationId, row.id);
  if (model?.document == null) throw notFound("model");
  const { id, name, document, files } = model;
  return { id, name, document, files };
}

const configSchema = z.object({
  task: z.object({
    sequenceColumn: z.string().nullish(),
    seriesColumns: z.array(z.string()).nullish(),
  }),
});

/**
 * What columns of a file are to be read as: what the model takes for texts keeps its zeros in front, and
 * whatever else a reading that infers kinds would change.
 */
export function kindsToRead({
  columns,
  card,
}: StoredDocument): Readonly<Record<string, ColumnKind>> {
  const { sequenceColumn, seriesColumns } = configSchema.parse(card.config).task;
  const names = [...(sequenceColumn ? [sequenceColumn] : []), ...(seriesColumns ?? [])];
  return Object.fromEntries([
    ...columns.flatMap(({ name, kind }) =>
      kind === "categorical" || kind === "text" ? [[name, kind] as const] : [],
    ),
    ...names.map((name) => [name, "text"] as const),
  ]);
}

/**
 * In which order a statement reads dates whose column does not tell it, where its rows are for a model: as the model's
 * column of that name was written, and under another name as all of the model's were. The model is only asked where there are such
 * dates.
 */
export function learnedDateOrders(
  services: Services,
  organizationId: string,
  { id, files }: Pick<FoundModel, "id" | "files">,
  signal: AbortSignal,
): DateOrders {
  let learned: Promise<ReadonlyMap<string, DateOrder>> | null = null;
  const ask = async (): Promise<ReadonlyMap<string, DateOrder>> => {
    const folder = await localModels(services).folder(organizationId, id, files, true);
    return new Map(Object.entries(await services.compute.scoring.dateOrders(folder, signal)));
  };
  return async (column) => {
    learned ??= ask();
    const orders = await learned;
    const [first = null, ...others] = new Set(orders.values());
    return orders.get(column) ?? (others.length === 0 ? first : null);
  };
}
