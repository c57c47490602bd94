/** Requests that an endpoint answers: which of its models does, what its shadow gets, and what is counted. */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { AnsweredRows } from "../../platform/compute/answered-rows.ts";
import type { Comparison } from "../../platform/compute/compare-answers.ts";
import { notFound, Problem, UnprocessableError } from "../../platform/input/problem.ts";
import type { ModelKinds } from "../models/kind.ts";
import { type PredictingModel, predictingModel } from "../models/service.ts";
import { observations, type ServedRequest } from "./observations.ts";
import { isSampled } from "./prediction-log/settings.ts";
import { logAnswer } from "./prediction-log/stored-log.ts";
import { answeringEndpoint, noSuchEndpoint } from "./service.ts";
import { shadowsOf } from "./shadows.ts";
import { modelAt, slotFor } from "./split.ts";
import type { EndpointRow } from "./store.ts";

/** Rows and their predictions as JSON, to be logged. */
export interface LoggedRows {
  readonly rows: Uint8Array;
  readonly answer: Uint8Array;
}

/** What an endpoint's log needs of an answer. */
interface Loggable {
  /** How many predictions or explanations it has. */
  readonly rows: number;
  /** Where the question was to be logged. */
  readonly logged: LoggedRows | null;
}

export interface EndpointRequest<Answer> {
  /** The endpoint's id, or its name. */
  readonly endpoint: string;
  /** Requests with the same key are answered by the same model; null = by chance. */
  readonly key: string | null;
  /** The one of its models that is to answer: its id, or as the split names it; null = by the key. */
  readonly version?: string | null;
  readonly route: ServedRequest["route"];
  readonly body: Uint8Array;
  /** Finds what is wrong with the body where there is no model to ask; may take the body. */
  readonly checkBody: (body: Uint8Array) => Promise<void>;
  /** May take the body. @param logs whether the answer is to be logged */
  readonly ask: (model: PredictingModel, body: Uint8Array, logs: boolean) => Promise<Answer>;
  /** What stands in the log beside; null where such requests are not logged. */
  readonly log: {
    /** The caller's own id. */
    readonly requestId: string | null;
    readonly coverage: number | null;
  } | null;
  /** Asks the shadow model the same and compares; null where nothing is to be compared. */
  readonly compare:
    | ((shadow: PredictingModel, body: Uint8Array, given: Answer) => Promise<Comparison>)
    | null;
}

const PREDICTION_ID = "x-prediction-id";

export interface EndpointAnswer<Answer> {
  readonly answer: Answer;
  readonly modelId: string;
  /** With the id of what was logged, if it was. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws 404 where there is no such endpoint, and what the model throws */
export async function answerByEndpoint<Answer extends Loggable>(
  ctx: AuthedContext,
  kinds: ModelKinds,
  request: EndpointRequest<Answer>,
): Promise<EndpointAnswer<Answer>> {
  const { route, body, log } = request;
  const endpoint = await findOrCheck(request, () => requireAnswering(ctx, request.endpoint));
  const { organizationId } = ctx.auth;
  const begun = performance.now();
  let modelId: string | null = null;
  const count = (status: number, rows: number): void => {
    const ms = performance.now() - begun;
    const served = { organizationId, endpointId: endpoint.id, modelId, route, rows, ms, status };
    observations(ctx.services).served(served);
  };
  try {
    const model = await findOrCheck(request, () => chosen(ctx, kinds, endpoint, request));
    modelId = model.modelId;
    const copy = copyForShadow(ctx, endpoint, request);
    const rate = log === null ? 0 : (endpoint.prediction_log?.sample_rate ?? 0);
    const logs = rate > 0 && isSampled(rate, endpoint.id, log?.requestId ?? null);
    const answer = await request.ask({ ...model, endpointId: endpoint.id }, body, logs);
    count(200, answer.rows);
    const predictionId =
      answer.logged === null || log === null
        ? null
        : logAnswer(ctx.services, organizationId, endpoint, {
            ...log,
            ...answer.logged,
            modelId,
            ms: performance.now() - begun,
            predictions: answer.rows,
          });
    if (copy !== null) shadow(ctx, kinds, { endpoint, request, copy, model, answer });
    const headers: Record<string, string> =
      predictionId === null ? {} : { [PREDICTION_ID]: predictionId };
    return { answer, modelId, headers };
  } catch (error) {
    count(statusOf(error), 0);
    throw error;
  }
}

/** Asks for predictions as JSON. */
export const askPredictions =
  ({ compute }: Services, coverage: number | undefined) =>
  async (
    model: PredictingModel,
    body: Uint8Array,
    logs: boolean,
  ): Promise<AnsweredRows & Loggable> => {
    // A thread takes the body.
    const rows = logs ? Uint8Array.from(body) : null;
    const answer = await compute.predictBody({ ...model, body, coverage });
    return { ...answer, logged: rows && { rows, answer: answer.body } };
  };

/** @throws 404 */
async function requireAnswering(ctx: AuthedContext, reference: string): Promise<EndpointRow> {
  const endpoint = await answeringEndpoint(ctx, reference);
  if (endpoint === null) throw await noSuchEndpoint(ctx, reference);
  return endpoint;
}

/** @throws 404, 409 */
async function chosen<Answer>(
  ctx: AuthedContext,
  kinds: ModelKinds,
  { id, models, slots }: EndpointRow,
  { key, version = null }: EndpointRequest<Answer>,
): Promise<PredictingModel> {
  if (version === null) {
    return predictingModel(ctx, kinds, models[modelAt(slots, slotFor(id, key))]!.model_id);
  }
  const named = models.find(({ model_id }) => model_id === version);
  if (named) return predictingModel(ctx, kinds, named.model_id);
  for (const { model_id } of models) {
    const model = await predictingModel(ctx, kinds, model_id);
    if (model.modelId === version) return model;
  }
  throw notFound("version");
}

/** What is wrong with a body is said before what is wrong with the address. */
async function findOrCheck<Answer, Found>(
  { body, checkBody }: EndpointRequest<Answer>,
  find: () => Promise<Found>,
): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    await checkBody(body);
    throw error;
  }
}

const shadowedOf = ({ auth }: AuthedContext, { id }: EndpointRow, reference: string) => ({
  organizationId: auth.organizationId,
  endpointId: id,
  reference,
});

/** The body, before a thread takes it; null where the shadow model does not get this request. */
function copyForShadow<Answer>(
  ctx: AuthedContext,
  endpoint: EndpointRow,
  { body, compare }: EndpointRequest<Answer>,
): Uint8Array | null {
  const { shadow_model_id: reference, shadow_percent: percent } = endpoint;
  if (compare === null || reference === null) return null;
  if (Math.random() * 100 >= percent) return null;
  const room = shadowsOf(ctx).admits(shadowedOf(ctx, endpoint, reference), body.byteLength);
  return room ? Uint8Array.from(body) : null;
}

function shadow<Answer>(
  ctx: AuthedContext,
  kinds: ModelKinds,
  shadowed: {
    readonly endpoint: EndpointRow;
    readonly request: EndpointRequest<Answer>;
    readonly copy: Uint8Array;
    readonly model: PredictingModel;
    readonly answer: Answer;
  },
): void {
  const { endpoint, request, copy, answer } = shadowed;
  const { shadow_model_id: reference } = endpoint;
  const { compare } = request;
  if (reference === null || compare === null) return;
  shadowsOf(ctx).add({
    of: shadowedOf(ctx, endpoint, reference),
    bytes: copy.byteLength,
    run: async () => compare(await predictingModel(ctx, kinds, reference), copy, answer),
  });
}

function statusOf(error: unknown): number {
  if (error instanceof UnprocessableError) return 422;
  return error instanceof Problem ? error.status : 500;
}
