/** Fits that several devices take part in side by side: two of SwiftShader stand for two adapters. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GpuDesk } from "../../compute/gpu/desk.ts";
import { type DeskRecord, openRunLane } from "../../compute/gpu/run-lane.ts";
import type { Fault } from "../../compute/gpu/testing/faulty-desk-thread.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { ComputePool } from "../../compute/pool.ts";
import { boost } from "./booster.ts";
import { REGRESSION } from "./testing/fit.ts";
import { fitOf, numericOnly, randomFit } from "./testing/random-fit.ts";
import { parametersOf, textOf } from "./testing/shared-fit.ts";

const why = whyNoDevice();
const pool = new ComputePool(new URL("./testing/shared-fit.ts", import.meta.url), 2);
const folders: string[] = [];

/** Each has its own lock. */
async function opened(fault?: Fault): Promise<GpuDesk> {
  const folder = mkdtempSync(join(tmpdir(), "devices-"));
  folders.push(folder);
  const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
  module.search = `?fault=${fault}&after=5`;
  return await GpuDesk.open({ folder, ...(fault ? { module } : {}) });
}

const [given] = fc.sample(randomFit, { numRuns: 1, seed: 7 });
const base = fitOf({ ...given!, rows: 400, features: 5, task: REGRESSION }, numericOnly);
const fit = {
  context: base.context,
  parameters: {
    ...base.parameters,
    ...{ growth: "leafwise", num_leaves: 5, max_depth: 0, bagging_fraction: 1 },
    ...{ min_data_in_leaf: 5, n_estimators: 7 },
  },
};

/** What was fitted in another thread, and which devices took part. */
async function fitOn(desks: readonly GpuDesk[], mayPass = true) {
  let records: readonly DeskRecord[] = [];
  const lane = openRunLane({
    desks: new Map(desks.map((desk) => [desk, 1])),
    given: fit.context.data.arena,
    mayPass,
    isAsked: false,
    tell: (found) => {
      records = found;
    },
  });
  const context = { ...fit.context, ...(lane ? { device: lane.lane } : {}) };
  const text = await pool.run("fitText", { ...fit, context });
  await lane?.end();
  return { text, records };
}

describe.skipIf(why !== null)(`several devices (${why ?? "SwiftShader"})`, () => {
  const alone = textOf(boost(fit.context, parametersOf(fit)));
  let sound: GpuDesk;
  beforeAll(async () => {
    sound = await opened();
  });
  afterAll(async () => {
    await pool.close();
    await sound.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  it("take fits in turn, the least loaded first", async () => {
    const other = await opened();
    const fits = await Promise.all([1, 2].map(() => fitOn([sound, other])));
    expect(fits.map(({ text }) => text)).toEqual([alone, alone]);
    expect(fits.map(({ records }) => records.map(({ desk }) => desk))).toEqual([[sound], [other]]);
    expect(fits.every(({ records: [record] }) => record!.answered > 5)).toBe(true);
    expect([sound.load, other.load]).toEqual([0, 0]);
    await other.close();
    // Closed, it is passed over.
    const { records } = await fitOn([other, sound]);
    expect(records.map(({ desk }) => desk)).toEqual([sound]);
  });

  // A thread that ends is a device that is lost, found by other means.
  const isLong = Boolean(process.env["DISTILLERY_LONG"]);
  const faults = ["miscount", ...(isLong ? ["lose", "crash"] : [])];
  it.each(faults as Fault[])("go on where one fails (%s)", async (fault) => {
    const failing = await opened(fault);
    // The first lane of a failing device is served.
    await failing.end(failing.open(fit.context.data.arena, 1)!);
    const { text, records } = await fitOn([failing, sound]);
    expect(text).toBe(alone);
    // A device whose sums are wrong ends its fit's part: who distrusts it asks nobody more.
    const passes = fault !== "miscount";
    expect(records.map(({ desk, isPassedOn }) => [desk === sound, isPassedOn])).toEqual(
      passes
        ? [
            [false, true],
            [true, false],
          ]
        : [[false, false]],
    );
    expect(records[0]!.reasons.join()).toMatch(/./);
    if (passes) expect(records[1]!.answered).toBeGreaterThan(5);
    expect(failing.gone).not.toBeNull();
    await failing.close();
  });

  it.runIf(isLong)("leave a fit alone whose bits depend on its device", async () => {
    const failing = await opened("lose");
    await failing.end(failing.open(fit.context.data.arena, 1)!);
    const { text, records } = await fitOn([failing, sound], false);
    expect(text).toBe(alone);
    expect(records.map(({ desk }) => desk)).toEqual([failing]);
    expect(records[0]!.reasons.join()).toMatch(/closed|lost/);
    // Not once more for each tree.
    expect(records[0]!.refused).toBeLessThanOrEqual(3);
    await failing.close();
  });
});
