/** Retention by the clock: each organization once a day, by whichever process takes it. */

import type { Services } from "../../api/services.ts";
import { carryOut } from "./apply.ts";
import { gather, type RetainedKinds } from "./gather.ts";
import { select } from "./select.ts";
import { claimDue } from "./store.ts";

/** @returns the number of things that went */
export async function applyDue(
  services: Services,
  kinds: RetainedKinds,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const due = await claimDue(services.db);
    if (due === null) return count;
    const { organization_id: organizationId, ...rules } = due;
    const scope = { services, auth: { organizationId } };
    try {
      const { records, now } = await gather(scope, kinds);
      const decisions = select(records, rules, now);
      const { done } = await carryOut(scope, kinds, decisions, records, "clock", signal);
      count += done.length;
    } catch (error) {
      signal?.throwIfAborted();
      services.log.warn({ err: error, organization: organizationId }, "retention was cut short");
    }
  }
}
