/**
 * Forests that a device grows are, byte for byte, what the CPU grows, whatever the device does. On SwiftShader;
 * `DISTILLERY_GPU_TESTS=full` grows many more.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DeviceRecord, GpuDesk } from "../../compute/gpu/desk.ts";
import type { Fault } from "../../compute/gpu/testing/faulty-desk-thread.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { type ForestInput, type ForestSettings, fitForest } from "./fit-forest.ts";
import { type RandomShape, randomForestInput } from "./testing/rows.ts";
import { textOf } from "./testing/shared-forest.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";

const randomForest: fc.Arbitrary<RandomForest> = fc.record({
  seed: fc.nat(),
  rows: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 600 })),
  columns: fc.integer({ min: 1, max: 7 }),
  classes: fc.constantFrom(0, 2, 3, 7),
  weighted: fc.boolean(),
  soft: fc.boolean(),
  bins: fc.constantFrom(3, 60, 255),
  settings: fc.record({
    trees: fc.constantFrom(1, 2, 3),
    featureFraction: fc.constantFrom(0.4, 1),
    minLeaf: fc.constantFrom(1, 5),
    maxLeaves: fc.constantFrom(4, 30, 1000),
    maxDepth: fc.constantFrom(0, 4),
    randomCuts: fc.boolean(),
    bootstrap: fc.boolean(),
    sampleFraction: fc.constantFrom(1, 0.6),
    shrinkage: fc.constantFrom(0, 2),
  }),
});
interface RandomForest extends RandomShape {
  readonly soft: boolean;
  readonly settings: ForestSettings;
}

/** A software device compiles the shader for seconds, and for longer beside other work. */
const PATIENT_MS = 300_000;

interface Outcome {
  readonly alone: string;
  readonly byDevice: string;
  readonly record: DeviceRecord;
}

async function growBoth(
  input: ForestInput,
  settings: ForestSettings,
  opened: GpuDesk,
  patienceMs = PATIENT_MS,
): Promise<Outcome> {
  const lane = opened.open(input.data.arena, 0, patienceMs);
  if (lane === null) throw new Error(`The device is gone: ${opened.gone}`);
  const device = { lane: { ...lane, isSoftware: false }, binsStay: true, mayLag: true };
  const byDevice = textOf(fitForest({ ...input, device }, settings));
  const record = await opened.end(lane);
  return { alone: textOf(fitForest(input, settings)), byDevice, record };
}

/** A desk whose lanes, but the first, fail one after the other. */
async function withFaults(
  faults: readonly (readonly [fault: Fault, after: number])[],
  action: (opened: GpuDesk) => Promise<void>,
): Promise<void> {
  const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
  const names = faults.map(([fault]) => fault).join();
  module.search = `?fault=${names}&after=${faults.map(([, after]) => after).join()}`;
  const folder = mkdtempSync(join(tmpdir(), "devices-"));
  const opened = await GpuDesk.open({ module, folder });
  try {
    await action(opened);
  } finally {
    await opened.close();
    rmSync(folder, { recursive: true });
  }
}

const NEVER = 1e9;
/** Of one target, for which a shader is compiled once; in full of classes as well. */
const shapes = isFull ? randomForest : randomForest.map((given) => ({ ...given, classes: 0 }));
const RUNS = isFull ? 150 : 8;
const fixed: RandomForest = {
  ...{ seed: 9, rows: 120, columns: 4, classes: 2, weighted: true, soft: false, bins: 20 },
  settings: {
    ...{ trees: 3, featureFraction: 0.6, minLeaf: 4, maxLeaves: 9, maxDepth: 0 },
    ...{ randomCuts: false, bootstrap: true, sampleFraction: 1, shrinkage: 1 },
  },
};

describe.skipIf(why !== null)(`a forest with a device (${why ?? "SwiftShader"})`, () => {
  it("is what the CPU grows, of random data and options, and whatever is refused", async () => {
    // A begin, the rows of each tree, work, its nodes.
    const refusals = [0, 1, 2, 3, 4, 5, 7].map((after) => ["refuse", after] as const);
    const faults = [
      ...Array.from({ length: RUNS - 1 }, () => ["refuse", NEVER] as const),
      ...refusals,
      ["mislead", 0] as const,
    ];
    await withFaults(faults, async (opened) => {
      const property = fc.asyncProperty(shapes, async (given) => {
        const { alone, byDevice, record } = await growBoth(
          randomForestInput(given),
          given.settings,
          opened,
        );
        expect([record.refused, record.isWrong], record.reasons.join()).toEqual([0, false]);
        expect(byDevice).toBe(alone);
        expect(record.answered).toBeGreaterThan(2 * given.settings.trees);
      });
      await fc.assert(property, { numRuns: RUNS, seed: 5, endOnFailure: true });
      for (const [, after] of refusals) {
        const outcome = await growBoth(randomForestInput(fixed), fixed.settings, opened);
        expect(outcome.byDevice, `after ${after}`).toBe(outcome.alone);
        expect(outcome.record.refused, `after ${after}`).toBe(1);
      }
      const misled = await growBoth(randomForestInput(fixed), fixed.settings, opened);
      expect(misled.byDevice).toBe(misled.alone);
      expect(misled.record.reasons.join()).toMatch(/wrong sum/);
    });
  });

  // Each is a device of its own, whose shader takes a software device seconds to compile.
  const others: readonly (readonly [Fault, RegExp])[] = [
    ["lose", /closed|lost/],
    ["hang", /no answer within/],
    ["crash", /./],
    ["miscount", /wrong sum/],
    ["misplace", /wrong sum/],
    ["forget", /wrong sum/],
  ];
  it.skipIf(!isFull).each(others)("(%s) is what the CPU grows", async (fault, reason) => {
    await withFaults([[fault, 3]], async (opened) => {
      await growBoth(randomForestInput(fixed), fixed.settings, opened);
      const patience = fault === "hang" ? 5000 : undefined;
      const outcome = await growBoth(randomForestInput(fixed), fixed.settings, opened, patience);
      expect(outcome.byDevice).toBe(outcome.alone);
      expect(outcome.record.reasons.join()).toMatch(reason);
    });
  });

  it.skipIf(!isFull)("leaves nothing on the device after many forests", async () => {
    await withFaults([["refuse", NEVER]], async (opened) => {
      const held: GpuDesk["held"][] = [];
      // Bins of another table stay for a while after its last fit.
      const input = randomForestInput(fixed);
      for (let i = 0; i < 60; i++) {
        await growBoth(input, { ...fixed.settings, trees: 1 }, opened);
        held.push(opened.held);
      }
      expect(held[59]!.buffers).toBeLessThanOrEqual(held[5]!.buffers);
      expect(held[59]!.bytes).toBeLessThanOrEqual(held[5]!.bytes);
    });
  });
});
