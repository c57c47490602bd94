/**
 * Contributions by a device are, bit for bit, the kernels'. On SwiftShader; `DISTILLERY_GPU_TESTS=full` takes many
 * more.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { type DeviceRecord, GpuDesk } from "../../compute/gpu/desk.ts";
import type { Fault } from "../../compute/gpu/testing/faulty-desk-thread.ts";
import { sharedDesk } from "../../compute/gpu/testing/shared-desk.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { withExplainer } from "./device-explainer.ts";
import { LaneExplainer } from "./lane-explainer.ts";
import { type RandomCase, type RandomShape, randomCase } from "./testing/random-ensemble.ts";
import { treeShap } from "./tree-shap.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const desk = sharedDesk();

/** Of its trees the first is one leaf: a begin, two trees, and the answer. */
const SHAPE: RandomShape = {
  ...{ seed: 0, features: 7, rows: 60, trees: 3, depth: 5 },
  ...{ valuesPerNode: 1, outputs: 1, emptyNodes: true },
};

const bitsOf = (values: Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("hex");

interface Asked {
  readonly rows?: Uint32Array | null;
  /** The device knows another arena than that of the rows. */
  readonly apart?: boolean;
  readonly patienceMs?: number;
  readonly mostWork?: number;
}

const kernels = ({ trees, data, outputs }: RandomCase, rows: Uint32Array | null = null): string => {
  const { baseValues, contributions } = treeShap(trees, data, rows, outputs);
  return bitsOf(baseValues) + bitsOf(contributions);
};

/** What a device makes of it that is asked whatever the size. */
async function byDevice(
  { trees, data, outputs }: RandomCase,
  opened: GpuDesk,
  { rows = null, apart = false, patienceMs, mostWork }: Asked = {},
): Promise<{ readonly bits: string; readonly record: DeviceRecord }> {
  const place = apart ? Arena.create(2 ** 27) : null;
  const lane = opened.open(place?.handle() ?? data.arena, 1, patienceMs)!;
  const explainer = Object.assign(new LaneExplainer(lane, place?.handle(), mostWork), {
    takes: () => true,
  });
  const live = Arena.attach(data.arena).liveBytes;
  const found = withExplainer(explainer, () => treeShap(trees, data, rows, outputs));
  expect([Arena.attach(data.arena).liveBytes, place?.liveBytes ?? 0]).toEqual([live, 0]);
  const bits = bitsOf(found.baseValues) + bitsOf(found.contributions);
  return { bits, record: await opened.end(lane) };
}

describe.skipIf(why !== null)(`contributions by a device (${why ?? "SwiftShader"})`, () => {
  it("are those of the kernels, of random trees and rows", async () => {
    const opened = await desk();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(),
          features: fc.integer({ min: 1, max: isFull ? 40 : 12 }),
          rows: fc.integer({ min: 6, max: isFull ? 3000 : 90 }),
          trees: fc.integer({ min: 1, max: isFull ? 20 : 4 }),
          depth: fc.integer({ min: 0, max: isFull ? 11 : 6 }),
          outputs: fc.integer({ min: 1, max: 4 }),
          together: fc.boolean(),
          emptyNodes: fc.boolean(),
          some: fc.boolean(),
          apart: fc.boolean(),
        }),
        async ({ together, some, apart, ...shape }) => {
          const each = randomCase({ ...shape, valuesPerNode: together ? shape.outputs : 1 });
          const rows = some
            ? Uint32Array.from({ length: 80 }, (_, i) => (i * 7) % each.data.rows)
            : null;
          const { bits, record } = await byDevice(each, opened, { rows, apart });
          expect(bits).toBe(kernels(each, rows));
          expect(record.refused).toBe(0);
          expect(record.answered).toBeGreaterThanOrEqual(2);
        },
      ),
      { numRuns: isFull ? 150 : 12, seed: 3 },
    );
  });

  it("are of as many requests as rows and trees need, and of several parts of rows", async () => {
    const opened = await desk();
    // So many features that few rows are held at once, of trees that are small.
    const wide = randomCase({ ...SHAPE, features: 2000, rows: 700, depth: 2 });
    const starts = wide.trees.treeStarts;
    const grown = [...starts].slice(1).filter((end, tree) => end - starts[tree]! > 1).length;
    const parts = Math.ceil(700 / Math.floor((8 << 20) / (8 * 2000)));
    expect([grown > 0, parts]).toEqual([true, 2]);
    const { bits, record } = await byDevice(wide, opened);
    expect(bits).toBe(kernels(wide));
    expect(record.answered).toBe(parts * (2 + grown));
    const each = randomCase({ ...SHAPE, valuesPerNode: 3, outputs: 3 });
    const pieces = await byDevice(each, opened, { mostWork: 3 * 20 * 43 * 2 });
    expect(pieces.bits).toBe(kernels(each));
    expect(pieces.record.answered).toBeGreaterThan(2 + 2 * 2);
  });

  it("are the CPU's where numbers may not stay finite, and where there is little to explain", async () => {
    const opened = await desk();
    const each = randomCase(SHAPE);
    for (const value of [1e250, Number.POSITIVE_INFINITY]) {
      const values = each.trees.value.with(each.trees.value.length - 1, value);
      const large = { ...each, trees: { ...each.trees, value: values } };
      const { bits, record } = await byDevice(large, opened);
      expect(bits).toBe(kernels(large));
      expect(record.answered).toBe(0);
    }
    const few = await byDevice(each, opened, { rows: Uint32Array.of(1, 2, 3) });
    expect(few.bits).toBe(kernels(each, Uint32Array.of(1, 2, 3)));
    expect(few.record.answered).toBe(0);
    const lane = opened.open(each.data.arena, 1000)!;
    const explainer = new LaneExplainer(lane);
    const takes = (rows: number) => explainer.takes({ trees: 5, nodes: 100, rows });
    expect([takes(9), takes(10)]).toEqual([false, true]);
    await opened.end(lane);
  });
});

describe.skipIf(why !== null)("a device that fails while it explains", () => {
  const each = randomCase(SHAPE);
  const faults: readonly [Fault, number, RegExp][] = [
    ["refuse", 2, /no room for a buffer/],
    ["lose", 3, /closed|lost/],
    ["hang", 2, /no answer within/],
    ["miscount", 3, /wrong sum/],
    ["misplace", 3, /wrong sum/],
  ];

  it.each(faults)(
    "(%s, at its request %i) leaves the contributions as they were",
    async (fault, after, reason) => {
      const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
      module.search = `?fault=${fault}&after=${after}`;
      const own = mkdtempSync(join(tmpdir(), "devices-"));
      const opened = await GpuDesk.open({ module, folder: own });
      try {
        const expected = kernels(each);
        expect((await byDevice(each, opened)).bits).toBe(expected);
        const patience = fault === "hang" ? { patienceMs: 1000 } : {};
        const { bits, record } = await byDevice(each, opened, patience);
        expect(bits).toBe(expected);
        expect(record.reasons.join()).toMatch(reason);
      } finally {
        await opened.close();
        rmSync(own, { recursive: true });
      }
    },
  );
});
