/**
 * Events as former versions logged them, read as today's. For those who look at ended runs: a run
 * that is still open under a former log is begun anew (see `LOG_VERSION`).
 *
 * Version 1 had one model a run: `selected` carried it as `selection`, `fitted` named no model and
 * `done` listed its files.
 */

import type { Facts, Member, ModelFile, RunEvent, RunPlan, Selection } from "./events.ts";

/** What version 1 knew of a selection. */
type LegacySelection = Pick<Selection, "kind" | "scores" | "path"> & {
  readonly members: readonly Omit<Member, "calibration">[];
};

type LegacyEventBody =
  | { readonly type: "planned"; readonly plan: Omit<RunPlan, "logVersion"> }
  | { readonly type: "selected"; readonly selection: LegacySelection }
  | { readonly type: "fitted"; readonly facts: Facts; readonly seconds: number }
  | { readonly type: "done"; readonly files: readonly ModelFile[] };

export type LegacyEvent = LegacyEventBody & { readonly at: string };
/** An event as it stands in a log, perhaps of an earlier version. */
export type LoggedEvent = RunEvent | LegacyEvent;

export function migrateEvent(event: LoggedEvent): RunEvent {
  switch (event.type) {
    case "planned":
      return "logVersion" in event.plan
        ? { ...event, plan: event.plan }
        : { ...event, plan: { logVersion: 1, ...event.plan } };
    case "selected": {
      if ("selections" in event) return event;
      const { selection, ...rest } = event;
      const metricWeights = Object.keys(selection.scores).map((_, index) => (index === 0 ? 1 : 0));
      const members = selection.members.map((member) => ({ ...member, calibration: null }));
      const whole = { ...selection, members, metricWeights, alsoFor: [], layer: null, notes: [] };
      return { ...rest, selections: [{ ...whole, threshold: null }] };
    }
    case "fitted":
      return "model" in event ? event : { ...event, model: 0 };
    case "done": {
      if ("models" in event) return event;
      const { files, ...rest } = event;
      return { ...rest, models: [{ files }] };
    }
    default:
      return event;
  }
}
