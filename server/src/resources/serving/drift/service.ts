/** How far the rows of endpoints have drifted from what their models were trained on. */

import type { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import type { Services } from "../../../api/services.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { isServed, resolveAll } from "../served-models.ts";
import { requireEndpoint } from "../service.ts";
import { type Compared, compareWithReference } from "./comparison.ts";
import { sumCounts } from "./counts-store.ts";
import { type driftSchema, toModelDrift, unavailableDrift } from "./record.ts";
import { driftRecorder } from "./recorder.ts";
import { referenceOf } from "./references.ts";

/** Of the models that answered within the time, and of those of the present split. @throws 404 */
export async function driftOf(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
  hours: number,
): Promise<z.infer<typeof driftSchema>> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const endpoint = await requireEndpoint(ctx, reference);
  await driftRecorder(services).flush();
  const wanted = { organizationId, endpointId: endpoint.id, hours };
  const counted = new Map(
    (await sumCounts(services.db, wanted)).map(({ model_id, counts }) => [model_id, counts]),
  );
  const split = endpoint.models.map(({ model_id }) => model_id);
  const resolved = [...(await resolveAll(ctx, kinds, split)).values()];
  const ids = new Set([...resolved.filter(isServed).map(({ id }) => id), ...counted.keys()]);
  const models = await Promise.all(
    [...ids].map(async (id) => {
      const known = await referenceOf(services, organizationId, id);
      if (typeof known === "string") return unavailableDrift(id, known);
      return toModelDrift(id, compareWithReference(known, counted.get(id) ?? []), known);
    }),
  );
  return { id: endpoint.id, hours, models };
}

export interface EndpointDrift {
  readonly endpointId: string;
  readonly modelId: string;
  readonly compared: Compared;
}

/** Hours that `recentDrift` looks at. */
const RECENT_HOURS = 24;
/** Of an endpoint; those that answered most rows. */
const MOST_MODELS = 32;
/** Many look often, and the sums are over all endpoints. */
const KEPT_MS = 60_000;

interface Recent {
  readonly until: number;
  readonly drift: Promise<readonly EndpointDrift[]>;
}
const recent = new WeakMap<Services, Map<string | null, Recent>>();

/** Of the last hours, a minute old at most. @param organizationId null = of all */
export function recentDrift(
  services: Services,
  organizationId: string | null,
): Promise<readonly EndpointDrift[]> {
  const kept = recent.get(services) ?? new Map<string | null, Recent>();
  recent.set(services, kept);
  const known = kept.get(organizationId);
  if (known && known.until > performance.now()) return known.drift;
  for (const [key, { until }] of kept) if (until <= performance.now()) kept.delete(key);
  const drift = readRecent(services, organizationId);
  kept.set(organizationId, { until: performance.now() + KEPT_MS, drift });
  // What failed is asked again.
  drift.catch(() => kept.delete(organizationId));
  return drift;
}

async function readRecent(
  services: Services,
  organizationId: string | null,
): Promise<readonly EndpointDrift[]> {
  await driftRecorder(services).flush();
  const wanted = { organizationId, endpointId: null, hours: RECENT_HOURS };
  const sums = await sumCounts(services.db, wanted);
  const most = [...sums].sort((a, b) => (b.counts[0] ?? 0) - (a.counts[0] ?? 0));
  const models = new Map<string, number>();
  const drift: EndpointDrift[] = [];
  for (const { endpoint_id: endpointId, model_id: modelId, organization_id, counts } of most) {
    const before = models.get(endpointId) ?? 0;
    models.set(endpointId, before + 1);
    if (before >= MOST_MODELS) continue;
    try {
      const known = await referenceOf(services, organization_id, modelId);
      if (typeof known === "string") continue;
      drift.push({ endpointId, modelId, compared: compareWithReference(known, counts) });
    } catch (error) {
      // Of one model, such as of a store that does not answer: the other figures are told.
      services.log.warn({ err: error, model: modelId }, "what a model was trained on is not known");
    }
  }
  return drift;
}
