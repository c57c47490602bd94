/** An entry of a training job's log for whoever follows it. */

import type { LoggedEvent } from "@distillery/engine";

/**
 * What only the run reads of a selection is named and not
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
