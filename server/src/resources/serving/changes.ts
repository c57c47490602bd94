/**
 * Writing endpoints. What the references of a request mean is looked up before the transaction; in it the
 * models are kept from being deleted until the endpoint, which then keeps them, is written.
 */

import { isDeepStrictEqual } from "node:util";
import { taskType } from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { assertIfMatch } from "../../api/masks/etag.ts";
import type { Sql } from "../../platform/db/database.ts";
import { errorCode } from "../../platform/db/sql.ts";
import { conflict, unprocessable } from "../../platform/input/problem.ts";
import type { ModelKinds } from "../models/kind.ts";
import { changingModels, keepReferences } from "../models/service.ts";
import type { PredictionLogSetting } from "./prediction-log/settings.ts";
import { keepLogFor } from "./prediction-log/store.ts";
import { type Endpoint, toEndpoint } from "./record.ts";
import {
  isServed,
  type Resolved,
  resolveAll,
  type ServedModel,
  stateOf,
  whyUnlike,
} from "./served-models.ts";
import { noSuchEndpoint } from "./service.ts";
import { dealOut, type Share, type Split } from "./split.ts";
import {
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  insertSplit,
  listSplits,
  lockEndpoint,
  type SplitRow,
  updateEndpoint,
  type WrittenEndpoint,
} from "./store.ts";

export interface NewEndpoint {
  readonly name: string;
  readonly models: readonly Share[];
  readonly shadow_model_id: string | null;
  readonly shadow_percent: number;
  readonly prediction_log: PredictionLogSetting;
}

export type EndpointChanges = {
  readonly [Member in keyof NewEndpoint]?: NewEndpoint[Member] | undefined;
};

/** So often may other processes be faster before a request gives up. */
const MOST_ATTEMPTS = 20;

const taken = (name: string) => conflict(`There is a serving endpoint named ${name} already.`);

/** @throws 403 without models:read, 409 where the name is taken, 422 where a model cannot answer */
export async function createEndpoint(
  ctx: AuthedContext,
  kinds: ModelKinds,
  input: NewEndpoint,
): Promise<Endpoint> {
  // Whoever asks the endpoint asks these models.
  assertScope(ctx, "models:read");
  const { organizationId } = ctx.auth;
  const { models, shadow_model_id: shadow } = input;
  const resolved = await resolveAll(ctx, kinds, references(models, shadow));
  assertModels(models, resolved);
  assertShadow(models, shadow, resolved);
  assertLogged(models, input.prediction_log, resolved);
  const id = ctx.newId();
  const row = await changingModels(ctx.services, organizationId, async (sql) => {
    await keepAll(sql, ctx, resolved);
    const slots = dealOut(models, null);
    const made = await insertEndpoint(sql, organizationId, id, { ...input, slots });
    if (made !== null) await insertSplit(sql, organizationId, made, null);
    return made;
  });
  // Sent again under its key, a request meets the row that its first run left.
  const there = row ?? (await findEndpoint(ctx.services.db, organizationId, id));
  if (there === null) throw taken(input.name);
  return shown(ctx, kinds, there);
}

/** @throws 403 without models:read for other models, 404, 409 where the name is taken, 412, 422 where a model cannot answer */
export async function patchEndpoint(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
  changes: EndpointChanges,
  ifMatch: string | undefined,
): Promise<Endpoint> {
  if (changes.models || changes.shadow_model_id) assertScope(ctx, "models:read");
  const row = await changed(ctx, reference, ifMatch, async (now) => {
    const next = {
      name: changes.name ?? now.name,
      models: changes.models ?? now.models,
      shadow_model_id:
        changes.shadow_model_id === undefined ? now.shadow_model_id : changes.shadow_model_id,
      shadow_percent: changes.shadow_percent ?? now.shadow_percent,
      prediction_log:
        changes.prediction_log === undefined ? now.prediction_log : changes.prediction_log,
    };
    const sameSplit = isDeepStrictEqual(next.models, now.models);
    const same =
      sameSplit &&
      next.name === now.name &&
      next.shadow_model_id === now.shadow_model_id &&
      next.shadow_percent === now.shadow_percent &&
      isDeepStrictEqual(next.prediction_log, now.prediction_log);
    const resolved = await resolveAll(ctx, kinds, references(next.models, next.shadow_model_id));
    if (changes.models) assertModels(next.models, resolved);
    if (changes.shadow_model_id) assertShadow(next.models, next.shadow_model_id, resolved);
    else if (changes.models) assertShadowed(next.models, next.shadow_model_id, resolved);
    if (changes.models || changes.prediction_log) {
      assertLogged(next.models, next.prediction_log, resolved);
    }
    if (same) return null;
    const slots = sameSplit ? now.slots : dealOut(next.models, now);
    return { resolved, next: { ...next, slots }, restores: sameSplit ? undefined : null };
  });
  return shown(ctx, kinds, row);
}

/**
 * Brings back the last split before the present one whose models can all answer. From a split that was
 * brought back it goes on backwards, and not to and fro.
 *
 * @throws 404, 409 where there is none, 412
 */
export async function rollBack(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
  ifMatch: string | undefined,
): Promise<Endpoint> {
  const { organizationId } = ctx.auth;
  const row = await changed(ctx, reference, ifMatch, async (now) => {
    const splits = await ctx.services.db.forOrganization(organizationId, (sql) =>
      listSplits(sql, organizationId, now.id, MOST_SPLITS, null),
    );
    for (const split of earlierThan(now, splits)) {
      const resolved = await resolveAll(ctx, kinds, references(split.models, now.shadow_model_id));
      if (!split.models.every(({ model_id }) => isServed(resolved.get(model_id)))) continue;
      const { models, slots } = split;
      return { resolved, next: { ...now, models, slots }, restores: split.revision };
    }
    throw conflict("There is no earlier split whose models can all answer.");
  });
  return shown(ctx, kinds, row);
}

/** Earlier splits that a rollback looks at. */
const MOST_SPLITS = 1_000;

/** Splits that were written before the present one was, latest first. */
export function earlierThan(now: EndpointRow, splits: readonly SplitRow[]): readonly SplitRow[] {
  const present = splits.find(({ revision }) => revision === now.split_revision);
  const origin = present?.restored_revision ?? now.split_revision;
  return splits.filter(
    ({ revision, restored_revision, models }) =>
      revision < origin && restored_revision === null && !isDeepStrictEqual(models, now.models),
  );
}

interface Change {
  readonly resolved: Resolved;
  readonly next: NewEndpoint & Split;
  /** Undefined where the split stays; else the revision whose split it is again, or null. */
  readonly restores: number | null | undefined;
}

/**
 * Changes an endpoint by what `prepare` makes of it as it is: that is asked again where another request
 * was faster.
 *
 * @param prepare null = there is nothing to change
 */
function changed(
  ctx: AuthedContext,
  reference: string,
  ifMatch: string | undefined,
  prepare: (now: EndpointRow) => Promise<Change | null>,
): Promise<EndpointRow> {
  return inTurn(`${ctx.auth.organizationId}/${reference}`, () =>
    tryChange(ctx, reference, ifMatch, prepare),
  );
}

/** The last change of each endpoint that this process has in hand. */
const turns = new Map<string, Promise<unknown>>();

/** One change behind another: many at once would each be the slower one until none has attempts left. */
async function inTurn<Result>(endpoint: string, change: () => Promise<Result>): Promise<Result> {
  const mine = Promise.allSettled([turns.get(endpoint)]).then(change);
  turns.set(endpoint, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(endpoint) === mine) turns.delete(endpoint);
  }
}

async function tryChange(
  ctx: AuthedContext,
  reference: string,
  ifMatch: string | undefined,
  prepare: (now: EndpointRow) => Promise<Change | null>,
): Promise<EndpointRow> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const now = await findEndpoint(services.db, organizationId, reference);
    if (now === null) throw await noSuchEndpoint(ctx, reference);
    assertIfMatch(ifMatch, String(now.revision));
    const change = await prepare(now);
    if (change === null) return now;
    const row = await changingModels(services, organizationId, (sql) =>
      write(sql, ctx, now, change),
    );
    if (row !== null) return row;
  }
  throw conflict("Others are changing this serving endpoint; try again.");
}

/** Null where the endpoint is not any more as it was. */
async function write(
  sql: Sql,
  ctx: AuthedContext,
  now: EndpointRow,
  { resolved, next, restores }: Change,
): Promise<EndpointRow | null> {
  const { organizationId } = ctx.auth;
  const locked = await lockEndpoint(sql, organizationId, now.id);
  if (locked?.revision !== now.revision) return null;
  await keepAll(sql, ctx, resolved);
  const split_revision = restores === undefined ? now.split_revision : now.revision + 1;
  const row = await updated(sql, organizationId, now.id, { ...next, split_revision });
  if (restores !== undefined) await insertSplit(sql, organizationId, row, restores);
  const { prediction_log: log } = next;
  if (log !== null && log.keep_days !== now.prediction_log?.keep_days) {
    await keepLogFor(sql, organizationId, row.id, log.keep_days);
  }
  return row;
}

async function updated(
  sql: Sql,
  organizationId: string,
  id: string,
  endpoint: WrittenEndpoint & { readonly split_revision: number },
): Promise<EndpointRow> {
  try {
    return await updateEndpoint(sql, organizationId, id, endpoint);
  } catch (error) {
    if (errorCode(error) === "23505") throw taken(endpoint.name); // unique_violation
    throw error;
  }
}

/** The endpoint with how it stands. */
export async function shown(
  ctx: AuthedContext,
  kinds: ModelKinds,
  row: EndpointRow,
): Promise<Endpoint> {
  const { models, shadow_model_id: shadow } = row;
  const resolved = await resolveAll(ctx, kinds, references(models, shadow));
  return toEndpoint(row, stateOf(models, shadow, resolved));
}

export const references = (models: readonly Share[], shadow: string | null): string[] => [
  ...models.map(({ model_id }) => model_id),
  ...(shadow === null ? [] : [shadow]),
];

/** @throws 422 at the model that cannot answer, or not like the first */
function assertModels(models: readonly Share[], resolved: Resolved): void {
  const seen = new Map<string, ServedModel>();
  for (const [at, { model_id }] of models.entries()) {
    const loc = ["body", "models", at, "model_id"];
    const model = resolved.get(model_id);
    if (!isServed(model)) throw unprocessable(loc, model?.message ?? "", { input: model_id });
    if (seen.has(model.id)) {
      throw unprocessable(loc, "this model is in the split already", { input: model_id });
    }
    const [first = model] = seen.values();
    const why = whyUnlike(model, first);
    if (why !== null) throw unprocessable(loc, why, { input: model_id });
    seen.set(model.id, model);
  }
}

/** @throws 422 where the shadow model that stays could not be compared with the models */
function assertShadowed(models: readonly Share[], shadow: string | null, resolved: Resolved): void {
  const model = shadow === null ? undefined : resolved.get(shadow);
  const first = resolved.get(models[0]?.model_id ?? "");
  const why = isServed(model) && isServed(first) ? whyUnlike(model, first) : null;
  if (why === null) return;
  throw unprocessable(
    ["body", "models"],
    `the shadow model ${shadow} could not be compared with these: ${why}; change it as well`,
  );
}

/** @throws 422 where the shadow model cannot answer, or not like those of the split */
function assertShadow(models: readonly Share[], shadow: string | null, resolved: Resolved): void {
  if (shadow === null) return;
  const loc = ["body", "shadow_model_id"];
  const model = resolved.get(shadow);
  if (!isServed(model)) throw unprocessable(loc, model?.message ?? "", { input: shadow });
  const first = models.map(({ model_id }) => resolved.get(model_id)).find(isServed);
  const why = first ? whyUnlike(model, first) : null;
  if (why !== null) throw unprocessable(loc, why, { input: shadow });
}

/** @throws 422 where the predictions are not of rows one by one, which a log is of */
function assertLogged(
  models: readonly Share[],
  log: PredictionLogSetting,
  resolved: Resolved,
): void {
  const first = models.map(({ model_id }) => resolved.get(model_id)).find(isServed);
  const kind = first?.answering.task.task_kind;
  if (log === null || kind === undefined || taskType(kind).framing === null) return;
  throw unprocessable(
    ["body", "prediction_log"],
    `only predictions of single rows are logged, and these models do ${kind}: leave it out`,
  );
}

/** Until the transaction ends no model goes away, and no reference means another. @throws 422 */
async function keepAll(
  sql: Sql,
  { services, auth }: AuthedContext,
  resolved: Resolved,
): Promise<void> {
  const meanings = new Map<string, string>();
  for (const [reference, model] of resolved) if (isServed(model)) meanings.set(reference, model.id);
  const gone = await keepReferences(sql, services.db, auth.organizationId, meanings);
  if (gone === null) return;
  throw unprocessable(["body", "models"], `what ${gone} means has just been changed; try again`);
}
