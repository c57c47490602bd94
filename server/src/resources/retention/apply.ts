/**
 * Carries decisions out, by the resources' own services: what has been referred to since the look, or
 * named otherwise, stays.
 */

import { Problem } from "../../platform/input/problem.ts";
import { deleteDay } from "../audit/store.ts";
import { removeDataset } from "../datasets/service.ts";
import { pruneJob, removeJob } from "../jobs/service.ts";
import { lockWriting, removeModel } from "../models/service.ts";
import { heldModels } from "../serving/held-models.ts";
import type { RetainedKinds, RetentionScope } from "./gather.ts";
import type { Decision, ModelRecord, Records } from "./select.ts";

export interface Outcome {
  readonly done: readonly Decision[];
  /** What had changed since the look. */
  readonly kept: readonly Decision[];
}

/** @param by who asked, for the log: `clock`, or a key's id or a token's subject */
export async function carryOut(
  scope: RetentionScope,
  kinds: RetainedKinds,
  decisions: readonly Decision[],
  records: Records,
  by: string,
  signal?: AbortSignal,
): Promise<Outcome> {
  const models = new Map(records.models.map((model) => [model.id, model]));
  const done: Decision[] = [];
  const kept: Decision[] = [];
  for (const decision of decisions) {
    signal?.throwIfAborted();
    try {
      await carryOutOne(scope, kinds, decision, models.get(decision.id));
    } catch (error) {
      if (!(error instanceof Problem) || !["conflict", "not-found"].includes(error.kind))
        throw error;
      kept.push(decision);
      continue;
    }
    done.push(decision);
    const { rule, action, kind, id, bytes } = decision;
    const { organizationId: organization } = scope.auth;
    scope.services.log.info({ organization, by, rule, action, kind, id, bytes }, "retention");
  }
  return { done, kept };
}

async function carryOutOne(
  scope: RetentionScope,
  kinds: RetainedKinds,
  { kind, id, action }: Decision,
  model: ModelRecord | undefined,
): Promise<void> {
  const { services, auth } = scope;
  const { organizationId } = auth;
  const { jobKinds, modelKinds, modelUsers, datasetUsers } = kinds;
  switch (kind) {
    case "audit_events":
      await deleteDay(services.db, organizationId, id);
      return;
    case "job":
      await (action === "prune" ? pruneJob : removeJob)(scope, jobKinds, id);
      return;
    case "dataset": {
      const users = { jobKinds, others: datasetUsers };
      await removeDataset(services, organizationId, users, id, false);
      return;
    }
    case "document_schema":
      await removeModel(
        scope,
        modelKinds,
        { jobKinds, others: modelUsers },
        {
          model_id: id,
          forcedBy: null,
        },
      );
      return;
    case "model":
      await removeModel(
        scope,
        modelKinds,
        { jobKinds, others: [...modelUsers, heldModels] },
        {
          model_id: id,
          forcedBy: null,
          async stillGoes(sql) {
            const now = await lockWriting(sql, organizationId, id);
            return (
              now !== null &&
              now.registered_name === model?.registered_name &&
              now.version === model.version
            );
          },
        },
      );
  }
}
