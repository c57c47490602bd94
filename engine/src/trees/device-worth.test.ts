import { describe, expect, it } from "vitest";
import { closeLane, type Lane, newLane } from "../compute/gpu/lane.ts";
import { DeviceWorth, type GrownAtOnce } from "./device-worth.ts";

const FEATURES = 3;
const ROWS = 1200;

/** @param ways that the cells of a tree of ROWS × FEATURES are worth */
const laneWorth = (ways: number, changes: Partial<Lane> = {}): Lane =>
  newLane({
    ...{ leastCells: (ROWS * FEATURES) / ways, arenaId: 0, adapter: "a", isSoftware: false },
    ...changes,
  });

const takes = (lane: Lane, grows: GrownAtOnce, least = 1): boolean =>
  new DeviceWorth(lane, least, grows, 16).takes(ROWS, FEATURES);

describe("trees go to a device", () => {
  // Of 16 leaves, on 4 levels.
  it.each([
    ["nodes", 16],
    ["levels", 4],
    ["trees", 9.5],
  ] as const)("that grows %s where they are worth so many ways: %d", (grows, ways) => {
    expect(takes(laneWorth(ways - 0.1), grows)).toBe(false);
    expect(takes(laneWorth(ways + 0.1), grows)).toBe(true);
  });

  it("that was asked for, where they are worth one way", () => {
    expect(takes(laneWorth(0.9, { isAsked: true }), "nodes")).toBe(false);
    expect(takes(laneWorth(1.1, { isAsked: true }), "nodes")).toBe(true);
  });

  it("of so many rows as a node has that is worth its share of a way, or as was asked", () => {
    const lane = laneWorth(20);
    expect(new DeviceWorth(lane, 1, "levels", 16).leastRows(FEATURES)).toBe(10);
    expect(new DeviceWorth(lane, 50, "levels", 16).leastRows(FEATURES)).toBe(50);
    expect(takes(lane, "levels", ROWS)).toBe(true);
    expect(takes(lane, "levels", ROWS + 1)).toBe(false);
  });

  it("never without a feature, nor to one that is closed or refused three times", () => {
    expect(new DeviceWorth(laneWorth(20), 1, "levels", 16).takes(ROWS, 0)).toBe(false);
    const closed = laneWorth(20);
    closeLane(closed);
    expect(takes(closed, "levels")).toBe(false);
    const refused = laneWorth(20);
    const REFUSED_COUNT = 3;
    refused.words[REFUSED_COUNT] = 2;
    expect(takes(refused, "levels")).toBe(true);
    refused.words[REFUSED_COUNT] = 3;
    expect(takes(refused, "levels")).toBe(false);
  });
});
