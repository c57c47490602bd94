/** What a model name of the Open Inference Protocol means: an endpoint, or else a model. */

import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { allows, assertScope } from "../../../api/context/scopes.ts";
import type { Services } from "../../../api/services.ts";
import type { Signature } from "../../../platform/compute/open-inference/infer-request.ts";
import { notFound } from "../../../platform/input/problem.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { type PredictingModel, predictingModel, requireModel } from "../../models/service.ts";
import { answeringEndpoint } from "../service.ts";
import type { EndpointRow } from "../store.ts";

export type Target =
  | { readonly endpoint: EndpointRow; readonly model: null }
  | { readonly endpoint: null; readonly model: PredictingModel };

/**
 * Endpoints come first; models are found by who may read them.
 *
 * @param version of a registered name its number; or the id of the model that answers; null = any
 * @throws 403, 404, 409 where a model is not completed
 */
export async function requireTarget(
  ctx: AuthedContext,
  kinds: ModelKinds,
  name: string,
  version: string | null,
): Promise<Target> {
  const readsModels = allows(ctx.auth.scopes, "models:read");
  if (!readsModels) assertScope(ctx, "serving:read");
  const endpoint = await answeringEndpoint(ctx, name);
  if (endpoint !== null) {
    assertScope(ctx, "serving:read");
    return { endpoint, model: null };
  }
  if (!readsModels) throw notFound("model");
  const isNumber = version !== null && /^[1-9][0-9]{0,8}$/.test(version) && !name.includes("@");
  const model = await predictingModel(ctx, kinds, isNumber ? `${name}@${version}` : name);
  if (version !== null && !isNumber && version !== model.modelId) throw notFound("version");
  return { endpoint: null, model };
}

const answering = z.object({
  task: z.looseObject({
    sequence_column: z.string().nullish(),
    horizon: z.number().nullish(),
    quantiles: z.array(z.number()).nullish(),
  }),
  classes: z.array(z.string()),
  columns: z.array(z.looseObject({ name: z.string(), kind: z.string() })),
  card: z.looseObject({ uncertainty: z.unknown().optional() }).nullable(),
});

/** What of a completed model says how it is asked and what it answers. */
export interface Answering extends Signature {
  readonly task: z.infer<typeof answering>["task"];
  readonly hasUncertainty: boolean;
}

/** So many are remembered of a process: a completed model stays as it is. */
const MOST_REMEMBERED = 1_000;
const remembered = new WeakMap<Services, Map<string, Answering>>();

/** @param modelId of a completed model @throws 404 */
export async function answeringOf(
  ctx: AuthedContext,
  kinds: ModelKinds,
  modelId: string,
): Promise<Answering> {
  const known = remembered.get(ctx.services) ?? new Map<string, Answering>();
  remembered.set(ctx.services, known);
  const found = known.get(modelId);
  if (found) return found;
  const { kind, row } = await requireModel(ctx, kinds, modelId);
  const { task, classes, columns, card } = answering.parse(kind.toDetail(row));
  const made = {
    task,
    classes,
    columns: columns.map(({ name, kind: of }) => ({ name, kind: of })),
    hasUncertainty: card?.uncertainty !== undefined,
  };
  const [oldest] = known.keys();
  if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(modelId, made);
  return made;
}
