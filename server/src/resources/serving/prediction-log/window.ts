/** The times that predictions are looked at between. */

import { FIRST_MOMENT, moment } from "../../../platform/input/moment.ts";
import { unprocessable } from "../../../platform/input/problem.ts";

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const time = moment.optional();

export const windowMembers = {
  since: time.describe("Predictions from then on, ISO 8601. Default: 30 days before `until`."),
  until: time.describe("Predictions before then, ISO 8601. Default: now."),
};

export interface AskedWindow {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** @param part where the members were sent @throws 422 where nothing lies in between */
export function windowOf(
  asked: AskedWindow,
  part: "query" | "body",
): { readonly since: Date; readonly until: Date } {
  const until = asked.until === undefined ? new Date() : new Date(asked.until);
  const since =
    asked.since === undefined
      ? new Date(Math.max(until.getTime() - DEFAULT_DAYS * DAY_MS, FIRST_MOMENT))
      : new Date(asked.since);
  if (since < until) return { since, until };
  throw unprocessable([part, "since"], "it should be before `until`", { input: asked.since });
}
