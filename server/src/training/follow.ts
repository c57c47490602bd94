/** A training job's log as it grows, for whoever follows it. */

import { setTimeout as sleep } from "node:timers/promises";
import type { LoggedEvent } from "@distillery/engine";
import type { AuthedContext } from "../http/context.ts";
import { toProgress } from "./record.ts";
import { findJob, readEvents } from "./store.ts";

const POLL_MS = 400;

export type TrainingMessage =
  /** An entry of the log; ids are its sequence. */
  | { readonly event: "run"; readonly id: number; readonly data: unknown }
  | { readonly event: "progress" | "end"; readonly data: unknown }
  /** Nothing new. */
  | { readonly event: "idle" };

/** Ends when the job has, when it is deleted, or when nobody listens any more. */
export async function* followTraining(
  ctx: AuthedContext,
  jobId: string,
  after: number,
): AsyncGenerator<TrainingMessage> {
  const { db } = ctx.platform;
  const { signal } = ctx.request;
  let sequence = after;
  let shown = "";
  while (!signal.aborted) {
    // The job first: events that come after this look are sent on the next round.
    const job = await findJob(db, ctx.auth.organizationId, jobId);
    for (const { sequence: id, event } of await readEvents(db, jobId, sequence)) {
      sequence = id;
      yield { event: "run", id, data: shownEvent(event) };
    }
    if (!job) return;
    const progress = JSON.stringify(toProgress(job));
    if (progress !== shown) yield { event: "progress", data: toProgress(job) };
    else yield { event: "idle" };
    shown = progress;
    if (job.status === "completed" || job.status === "failed") {
      yield { event: "end", data: { status: job.status, error_message: job.error_message } };
      return;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * An entry of the log as followers see it. What only the run reads of a selection is named and not
 * spelled out: the curves of its members' calibrations, whose knots grow with the rows, and the steps
 * that weighed the members.
 */
export function shownEvent(event: LoggedEvent): unknown {
  if (event.type !== "selected" || !("selections" in event)) return event;
  return {
    ...event,
    selections: event.selections.map(({ path, members, ...selection }) => ({
      ...selection,
      members: members.map(({ calibration, ...member }) => ({
        ...member,
        calibration: calibration?.kind ?? null,
      })),
      steps: path.length,
    })),
  };
}
