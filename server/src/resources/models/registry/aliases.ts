/** Pointing aliases to models, and taking them back. */

import type { AuthedContext, Principal } from "../../../api/context/context.ts";
import type { Sql } from "../../../platform/db/database.ts";
import { conflict, notFound, unprocessable } from "../../../platform/input/problem.ts";
import { changingModels } from "../changing.ts";
import { refuseWhileKept } from "../kept.ts";
import type { ModelUser } from "../kind.ts";
import { aliasReference, isUuid, parseReference } from "../model-id.ts";
import { findModel, findVersion, keepModel } from "../store.ts";
import {
  aliasesOfAlias,
  aliasesOfModel,
  deleteAlias,
  findAlias,
  listMoves,
  listNames,
  lockRegistry,
  pointsSomewhere,
  recordMove,
  setAlias,
} from "./store.ts";
import { type AliasName, type AliasTarget, walkAliases } from "./walk.ts";

/** So many moves are looked at and shown. */
export const RECENT_MOVES = 20;

/** Exactly one of both. */
export interface WantedTarget {
  /** An id, a version or an alias, of any name. */
  readonly model_id?: string | undefined;
  /** Of the alias's own name. */
  readonly version?: number | undefined;
}

/**
 * Makes the alias, or moves it.
 *
 * @throws 404 for the name, 422 for a target that is not there, is not completed, or leads back here
 */
export async function pointAlias(
  ctx: AuthedContext,
  at: AliasName,
  wanted: WantedTarget,
): Promise<void> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  if (wanted.model_id === undefined && wanted.version === undefined) {
    throw unprocessable(["body", "model_id"], "say what it points to: model_id or version");
  }
  if (wanted.model_id !== undefined && wanted.version !== undefined) {
    throw unprocessable(["body", "version"], "send this or model_id, not both");
  }
  const [name] = await listNames(services.db, organizationId, { only: at.name, limit: 1 });
  if (name === undefined) throw notFound("registered name");
  const member = wanted.version === undefined ? "model_id" : "version";
  const refuse = (message: string) => unprocessable(["body", member], message);
  const target = await targetFor(ctx, at, wanted, refuse);
  await changingModels(services, organizationId, async (sql) => {
    await lockRegistry(sql, organizationId);
    await moveTo(sql, ctx, at, target, refuse);
  });
}

/**
 * Points the alias to what it pointed to before its latest move. Asked twice, it is where it was.
 *
 * @throws 404, or 409 where it has pointed to nothing else, or that is gone
 */
export async function rollBackAlias(ctx: AuthedContext, at: AliasName): Promise<void> {
  const { organizationId } = ctx.auth;
  await changingModels(ctx.services, organizationId, async (sql) => {
    await lockRegistry(sql, organizationId);
    const row = await findAlias(sql, organizationId, at);
    if (row === null) throw notFound("alias");
    const moves = await listMoves(sql, organizationId, at, RECENT_MOVES);
    const before = moves.filter(pointsSomewhere).find((target) => !sameTarget(target, row));
    if (before === undefined) {
      throw conflict(`The alias ${written(at)} has pointed to nothing else.`);
    }
    await moveTo(sql, ctx, at, before, (message) =>
      conflict(`The alias ${written(at)} cannot go back: ${message}.`),
    );
  });
}

/** @throws 404, or 409 while other aliases point to it, or one of its users needs it */
export async function removeAlias(
  ctx: AuthedContext,
  users: readonly ModelUser[],
  at: AliasName,
): Promise<void> {
  const { organizationId } = ctx.auth;
  await changingModels(ctx.services, organizationId, async (sql) => {
    await lockRegistry(sql, organizationId);
    const pointing = await aliasesOfAlias(sql, organizationId, at);
    if (!(await deleteAlias(sql, organizationId, at))) throw notFound("alias");
    if (pointing.length > 0) {
      const them = pointing.length === 1 ? "it" : "them";
      throw conflict(`${listed(pointing)} to ${written(at)}; move or delete ${them} first.`);
    }
    await refuseWhileKept(sql, users, organizationId, [written(at)]);
    await recordMove(sql, ctx.auth, at, null);
  });
}

/**
 * Behind the delete of a model, in its transaction, under the registry's lock.
 *
 * @param forcedBy whose word deletes the aliases that lead to it; null = they stay
 * @throws 409 naming them
 */
export async function giveUpAliases(
  sql: Sql,
  organizationId: string,
  modelId: string,
  forcedBy: Principal | null,
): Promise<void> {
  const leading = await aliasesOfModel(sql, organizationId, modelId);
  if (leading.length === 0) return;
  if (forcedBy === null) {
    throw conflict(
      `${listed(leading)} to this model; move or delete ${leading.length === 1 ? "it" : "them"} first, or send force=true.`,
    );
  }
  for (const reference of leading) {
    const [name = "", alias = ""] = reference.split("@");
    if (await deleteAlias(sql, organizationId, { name, alias })) {
      await recordMove(sql, forcedBy, { name, alias }, null);
    }
  }
}

async function targetFor(
  { services, auth }: AuthedContext,
  at: AliasName,
  { model_id: text = "", version }: WantedTarget,
  refuse: (message: string) => Error,
): Promise<AliasTarget> {
  const { organizationId } = auth;
  const toVersion = async (name: string, number: number): Promise<AliasTarget> => {
    const id = await findVersion(services.db, organizationId, name, number);
    if (id === null) throw refuse(`'${name}' has no version ${number}`);
    return toModel(id);
  };
  if (version !== undefined) return toVersion(at.name, version);
  const reference = parseReference(text);
  if (reference?.kind === "alias") {
    return { model_id: null, target_name: reference.name, target_alias: reference.alias };
  }
  if (reference?.kind === "version") return toVersion(reference.name, reference.version);
  if (reference?.kind === "bare" && isUuid(text)) return toModel(text.toLowerCase());
  throw refuse(
    "an alias points to a trained model by its id, to a version such as 'churn@3', or to another alias; a name alone would move by itself",
  );
}

const toModel = (id: string): AliasTarget => ({
  model_id: id,
  target_name: null,
  target_alias: null,
});

/** Under the registry's lock; the model that it leads to stays until the transaction ends. */
async function moveTo(
  sql: Sql,
  { services, auth }: AuthedContext,
  at: AliasName,
  target: AliasTarget,
  refuse: (message: string) => Error,
): Promise<void> {
  const { organizationId } = auth;
  const isHere = ({ name, alias }: AliasName) => name === at.name && alias === at.alias;
  const walk = await walkAliases(at, (next) =>
    isHere(next) ? target : findAlias(sql, organizationId, next),
  );
  switch (walk.kind) {
    case "missing":
      throw refuse(`there is no alias '${walk.at}'`);
    case "cycle":
      throw refuse(`aliases would lead in a circle: ${walk.path.join(" → ")}`);
    case "long":
      throw refuse(`more than ${walk.most} aliases in a row lead to a model`);
    case "model":
  }
  if (!(await keepModel(sql, organizationId, walk.modelId))) {
    const model = await findModel(services.db, organizationId, walk.modelId);
    throw refuse(
      model === null || model.status === "completed"
        ? `there is no trained model ${walk.modelId}`
        : `the model ${walk.modelId} is ${model.status}; an alias points to a completed one`,
    );
  }
  const row = await findAlias(sql, organizationId, at);
  if (row !== null && sameTarget(target, row)) return;
  await setAlias(sql, organizationId, at, target);
  await recordMove(sql, auth, at, target);
}

const sameTarget = (a: AliasTarget, b: AliasTarget): boolean =>
  a.model_id === b.model_id && a.target_name === b.target_name && a.target_alias === b.target_alias;

const written = ({ name, alias }: AliasName): string => aliasReference(name, alias);

/** `The alias a@b points`, `The aliases a@b and c@d point`. */
function listed(references: readonly string[]): string {
  const all = new Intl.ListFormat("en").format(references);
  return references.length === 1 ? `The alias ${all} points` : `The aliases ${all} point`;
}
