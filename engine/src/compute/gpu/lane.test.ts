/** What fits and devices tell each other through a lane, in any order. */

import { describe, expect, it } from "vitest";
import { ask, closeLane, laneRecord, newLane } from "./lane.ts";

describe("a lane", () => {
  it("stays closed where it is closed while a request is written", () => {
    const lane = newLane({
      ...{ leastCells: 1, arenaId: 1, adapter: "a GPU", isSoftware: false, patienceMs: 20 },
    });
    const values = [0];
    Object.defineProperty(values, 0, {
      get() {
        closeLane(lane);
        return 0;
      },
    });
    expect(ask(lane, 1, values)).toBe(false);
    expect(ask(lane, 1, [])).toBe(false);
    expect(laneRecord(lane)).toMatchObject({ answered: 0, isHung: false });
  });
});
