/**
 * Sums of trees by a device are, bit for bit, those of the kernels, and of JavaScript's own addition. On
 * SwiftShader; `DISTILLERY_GPU_TESTS=full` takes many more.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { type DeviceRecord, GpuDesk } from "../compute/gpu/desk.ts";
import { number } from "../compute/gpu/testing/f64-numbers.ts";
import type { Fault } from "../compute/gpu/testing/faulty-desk-thread.ts";
import { sharedDesk } from "../compute/gpu/testing/shared-desk.ts";
import { whyNoDevice } from "../compute/gpu/testing/swiftshader.ts";
import type { EncodedData } from "../data/encoded.ts";
import { withSummer } from "./device-sums.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { LaneSums } from "./lane-sums.ts";
import { predictTrees } from "./predictor.ts";
import { randomCase } from "./shap/testing/random-ensemble.ts";
import { encodeBins } from "./testing/random-bins.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const desk = sharedDesk();

const bitsOf = (values: Float64Array): string => Buffer.from(values.buffer).toString("hex");

interface Asked {
  /** The device knows another arena than that of the rows. */
  readonly apart?: boolean;
  readonly trees: TreeEnsemble;
  readonly data: EncodedData;
  readonly rows: Uint32Array | null;
  readonly base: Float64Array;
}

/** What a device makes of it that is asked whatever the size. */
async function sumsOf(
  { trees, data, rows, base, apart = false }: Asked,
  opened: GpuDesk,
  patienceMs?: number,
): Promise<{ readonly bits: string; readonly record: DeviceRecord }> {
  const place = apart ? Arena.create(2 ** 27) : null;
  const lane = opened.open(place?.handle() ?? data.arena, 1, patienceMs)!;
  const summer = Object.assign(new LaneSums(lane, place?.handle()), { takes: () => true });
  const live = Arena.attach(data.arena).liveBytes;
  const sums = withSummer(summer, () => predictTrees(trees, data, rows, base));
  expect([Arena.attach(data.arena).liveBytes, place?.liveBytes ?? 0]).toEqual([live, 0]);
  return { bits: bitsOf(sums), record: await opened.end(lane) };
}

/** Trees that are one leaf each, whose values are an output each. */
function leavesOnly(values: readonly Float64Array[]): Asked {
  const nodes = values.length;
  const outputs = values[0]!.length;
  const one = (value: number): Int32Array => new Int32Array(nodes).fill(value);
  const trees: TreeEnsemble = {
    valuesPerNode: outputs,
    treeStarts: Int32Array.from({ length: nodes + 1 }, (_, tree) => tree),
    ...{ treeOutput: one(0), feature: one(-1), splitBin: one(0), left: one(-1), right: one(-1) },
    ...{ isCategorical: new Uint8Array(nodes), missingLeft: new Uint8Array(nodes) },
    value: Float64Array.from(values.flatMap((each) => [...each])),
    ...{ cover: new Float64Array(nodes), gain: new Float64Array(nodes) },
    categorySets: new Uint32Array(0),
  };
  const data = encodeBins([{ kind: "numeric", valueBins: 1, bins: [0] }]);
  return { trees, data, rows: null, base: new Float64Array(outputs) };
}

describe.skipIf(why !== null)(`sums of trees on a device (${why ?? "SwiftShader"})`, () => {
  it("are numbers that are added as the CPU adds them", async () => {
    const opened = await desk();
    const outputs = 500;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(number, number, number), { minLength: outputs, maxLength: outputs }),
        async (triples) => {
          // Each begins at -0, and the last nearly takes the first away again.
          const columns = [0, 1, 2].map((i) => Float64Array.from(triples, (each) => each[i]!));
          const asked = leavesOnly([...columns, columns[0]!.map((value) => -value)]);
          const base = new Float64Array(outputs).fill(-0);
          const expected = base.map((start, k) =>
            asked.trees.value.reduce((sum, v, i) => (i % outputs === k ? sum + v : sum), start),
          );
          const { bits, record } = await sumsOf({ ...asked, base }, opened);
          expect(bits).toBe(bitsOf(expected));
          expect([record.answered, record.refused]).toEqual([3, 0]);
        },
      ),
      // Shrinking so many numbers would take an hour.
      { numRuns: isFull ? 400 : 6, seed: 8, endOnFailure: true },
    );
  });

  it("are those of the kernels, of random trees and rows", async () => {
    const opened = await desk();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(),
          features: fc.integer({ min: 1, max: 40 }),
          rows: fc.integer({ min: 1, max: isFull ? 5000 : 700 }),
          trees: fc.integer({ min: 1, max: isFull ? 60 : 12 }),
          depth: fc.integer({ min: 0, max: isFull ? 12 : 7 }),
          outputs: fc.integer({ min: 1, max: 5 }),
          together: fc.boolean(),
          some: fc.boolean(),
          apart: fc.boolean(),
        }),
        async ({ together, some, apart, ...shape }) => {
          const { trees, data, outputs } = randomCase({
            ...shape,
            valuesPerNode: together ? shape.outputs : 1,
            emptyNodes: false,
          });
          const rows = some
            ? Uint32Array.from({ length: 300 }, (_, i) => (i * 7) % data.rows)
            : null;
          const base = Float64Array.from({ length: outputs }, (_, k) => k - 0.3);
          const { bits, record } = await sumsOf({ trees, data, rows, base, apart }, opened);
          expect(bits).toBe(bitsOf(predictTrees(trees, data, rows, base)));
          expect([record.answered, record.refused]).toEqual([3, 0]);
        },
      ),
      { numRuns: isFull ? 100 : 12, seed: 9 },
    );
  });

  it("send the trees once for rows that come one part after another", async () => {
    const opened = await desk();
    const shape = { seed: 6, features: 4, depth: 5, valuesPerNode: 1, outputs: 1, rows: 100 };
    const { trees, data } = randomCase({ ...shape, trees: 5, emptyNodes: false });
    const lane = opened.open(data.arena, 1)!;
    const parts = [0, 1, 2].map((part) =>
      Uint32Array.from({ length: 30 }, (_, i) => 30 * part + i),
    );
    const sums = withSummer(new LaneSums(lane), () =>
      parts.map((rows) => predictTrees(trees, data, rows, [1])),
    );
    expect(sums).toEqual(parts.map((rows) => predictTrees(trees, data, rows, [1])));
    expect((await opened.end(lane)).answered).toBe(1 + 2 * parts.length);
  });

  it("are of as many requests as rows and trees need", async () => {
    const opened = await desk();
    const shape = { seed: 4, features: 3, depth: 0, valuesPerNode: 1, outputs: 2 };
    // Of depth 0, so that there are many walks in little time.
    const { trees, data } = randomCase({ ...shape, rows: 4500, trees: 1000, emptyNodes: false });
    const base = Float64Array.of(1, 2);
    const { bits, record } = await sumsOf({ trees, data, rows: null, base }, opened);
    expect(bits).toBe(bitsOf(predictTrees(trees, data, null, base)));
    expect(record.answered).toBe(2 + 2);
  });

  it("are the CPU's where numbers may not stay finite, and where there is little to add", async () => {
    const opened = await desk();
    for (const value of [1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
      const asked = leavesOnly([Float64Array.of(value, 1)]);
      const { bits, record } = await sumsOf(asked, opened);
      expect(bits).toBe(bitsOf(predictTrees(asked.trees, asked.data, null, asked.base)));
      expect(record.answered).toBe(0);
    }
    const { data } = leavesOnly([Float64Array.of(1)]);
    const lane = opened.open(data.arena, 1000)!;
    const summer = new LaneSums(lane);
    const takes = (rows: number) => summer.takes({ trees: 10, nodes: 40, rows }, data.binned!);
    expect([takes(199), takes(200)]).toEqual([false, true]);
    await opened.end(lane);
  });
});

describe.skipIf(why !== null)("a device that fails while it adds", () => {
  const shape = { seed: 5, features: 3, rows: 50, depth: 3, valuesPerNode: 1, outputs: 1 };
  const { trees, data } = randomCase({ ...shape, trees: 4, emptyNodes: false });
  const asked: Asked = { trees, data, rows: null, base: Float64Array.of(0) };
  const faults: readonly [Fault, RegExp][] = [
    ["refuse", /no room for a buffer/],
    ["lose", /closed|lost/],
    ["hang", /no answer within/],
    ["miscount", /wrong sum/],
    ["misplace", /wrong sum/],
  ];

  it.each(faults)("(%s) leaves the sums as they were", async (fault, reason) => {
    const module = new URL("../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
    module.search = `?fault=${fault}&after=2`;
    const own = mkdtempSync(join(tmpdir(), "devices-"));
    const opened = await GpuDesk.open({ module, folder: own });
    try {
      const expected = bitsOf(predictTrees(trees, data, null, asked.base));
      const patience = fault === "hang" ? 1000 : undefined;
      expect((await sumsOf(asked, opened)).bits).toBe(expected);
      const { bits, record } = await sumsOf(asked, opened, patience);
      expect(bits).toBe(expected);
      expect(record.reasons.join()).toMatch(reason);
    } finally {
      await opened.close();
      rmSync(own, { recursive: true });
    }
  });
});
