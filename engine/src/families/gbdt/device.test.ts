/**
 * Fits that a device takes part in are, byte for byte, what the CPU fits, whatever the device does. On
 * SwiftShader; `DISTILLERY_GPU_TESTS=full` adds many more fits, and 200 for leaks.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADD_LEAVES } from "../../compute/gpu/boosting-requests.ts";
import { type DeviceRecord, GpuDesk } from "../../compute/gpu/desk.ts";
import { growAnswer, type Lane } from "../../compute/gpu/lane.ts";
import type { Fault } from "../../compute/gpu/testing/faulty-desk-thread.ts";
import { sharedDesk } from "../../compute/gpu/testing/shared-desk.ts";
import { whyNoDevice } from "../../compute/gpu/testing/swiftshader.ts";
import { ComputePool } from "../../compute/pool.ts";
import { encodeBins } from "../../trees/testing/random-bins.ts";
import { boost } from "./booster.ts";
import { BINCLASS, contextOf, MULTICLASS, REGRESSION } from "./testing/fit.ts";
import { fitOf, numericOnly, type RandomFit, randomFit } from "./testing/random-fit.ts";
import { parametersOf, type SharedFit, textOf } from "./testing/shared-fit.ts";

/** Of a fit without a column of more categories than bins, whose rows no device keeps. */
const heldSeed = (seed: number): number => seed - (seed % 3) + 1;

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const IS_LONG = isFull || Boolean(process.env["DISTILLERY_LONG"]);
const desk = sharedDesk();

/** Of a lane: what was asked last. */
const LAST_REQUEST = 1;

interface Outcome {
  readonly alone: string;
  readonly byDevice: string;
  /** The last tree was of rows that stay on the device. */
  readonly isHeld: boolean;
  readonly record: DeviceRecord;
}

/** The fit without the device and with it; all nodes that may go there do. */
async function fitBoth(
  { context, parameters }: Omit<SharedFit, "sharing">,
  opened: GpuDesk,
  patienceMs?: number,
): Promise<Outcome> {
  const resolved = parametersOf({ context, parameters });
  const lane: Lane | null = opened.open(context.data.arena, 1, patienceMs);
  if (lane === null) throw new Error(`The device is gone: ${opened.gone}`);
  const byDevice = textOf(boost({ ...context, device: lane }, resolved));
  const isHeld = lane.words[LAST_REQUEST] === ADD_LEAVES;
  const record = await opened.end(lane);
  return { alone: textOf(boost(context, resolved)), byDevice, isHeld, record };
}

/** A device of software takes some milliseconds for each feature of each node. */
const leavesOf = ({ parameters: { num_leaves } }: RandomFit): number =>
  Math.min(isFull ? 100 : 7, num_leaves);
const featuresOf = (given: RandomFit): number =>
  leavesOf(given) < 40 ? given.features : Math.min(6, given.features);

/** Few enough rows for the suite, many enough for a device. */
const few = ({ rows, ...given }: RandomFit): RandomFit => ({ ...given, rows: 60 + (rows % 700) });

describe.skipIf(why !== null)(`a fit with a device (${why ?? "SwiftShader"})`, () => {
  it("is what the CPU fits, of random data and options", async () => {
    const opened = await desk();
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(randomFit, async (given) => {
        const fit = fitOf({ ...(isFull ? given : few(given)), features: featuresOf(given) });
        const parameters = { ...fit.parameters, num_leaves: leavesOf(given), n_estimators: 2 };
        const { alone, byDevice, record } = await fitBoth({ ...fit, parameters }, opened);
        expect(byDevice).toBe(alone);
        expect([record.refused, record.isWrong], record.reasons.join()).toEqual([0, false]);
        answered += record.answered;
      }),
      { numRuns: isFull ? 40 : IS_LONG ? 5 : 3, seed: 5 },
    );
    expect(answered).toBeGreaterThan(10);
  });

  it("is the same at the limits of the data", async () => {
    const opened = await desk();
    const rows = 700;
    const column = (valueBins: number, of: (row: number) => number) => ({
      kind: "numeric" as const,
      valueBins,
      bins: Array.from({ length: rows }, (_, row) => of(row)),
    });
    const data = encodeBins([
      // All bins that a byte has; one bin; missing everywhere; gaps between features.
      column(255, (row) => row % 256),
      column(1, () => 0),
      column(3, () => 3),
      ...Array.from({ length: 14 }, (_, f) => column(2 + f, (row) => (row * (f + 3)) % (2 + f))),
    ]);
    const target = Float64Array.from({ length: rows }, (_, row) => Math.sin(row) + (row % 5) ** 2);
    const context = contextOf(REGRESSION, data, target);
    const parameters = { n_estimators: 2, num_leaves: 6, growth: "leafwise", min_data_in_leaf: 1 };
    const { alone, byDevice, record } = await fitBoth({ context, parameters }, opened);
    expect(byDevice).toBe(alone);
    expect(record.answered).toBeGreaterThan(4);
    // More features than a workgroup has threads.
    const wide = encodeBins(
      Array.from({ length: 300 }, (_, f) => column(3, (row) => (row * (f + 1)) % 4)),
    );
    const many = { ...parameters, n_estimators: 1, feature_fraction: 1 };
    const outcome = await fitBoth(
      { context: { ...context, data: wide }, parameters: many },
      opened,
    );
    expect(outcome.byDevice).toBe(outcome.alone);
    for (const few of [1, 64, 65]) {
      const trainRows = Uint32Array.from({ length: few }, (_, i) => 3 * i);
      const small = { context: { ...context, trainRows }, parameters };
      const outcome = await fitBoth(small, opened);
      expect(outcome.byDevice).toBe(outcome.alone);
    }
  });

  it("takes part where the trees are worth all their ways to it, or where it was asked for", async () => {
    const rows = 1200;
    const columns = [11, 7, 5].map((step) => ({
      kind: "numeric" as const,
      valueBins: 16,
      bins: Array.from({ length: rows }, (_, row) => (row * step) % 17),
    }));
    const target = Float64Array.from({ length: rows }, (_, row) => Math.sin(row % 289));
    const context = contextOf(REGRESSION, encodeBins(columns), target);
    const size = { n_estimators: 1, growth: "leafwise", num_leaves: 16, min_data_in_leaf: 1 };
    const shape = { ...size, bagging_fraction: 1, feature_fraction: 1 };
    const parameters = parametersOf({ context, parameters: shape });
    const cells = rows * columns.length;
    const opened = await desk();
    const answered = async (leastCells: number, isAsked: boolean): Promise<number> => {
      const lane = opened.open(context.data.arena, leastCells)!;
      boost({ ...context, device: { ...lane, isAsked } }, parameters);
      return (await opened.end(lane)).answered;
    };
    expect(await answered(cells, false)).toBe(0);
    expect(await answered(cells, true)).toBeGreaterThan(0);
    // 16 leaves on 4 levels: worth 9.5 ways.
    expect(await answered(cells / 9, false)).toBe(0);
    expect(await answered(cells / 10, false)).toBeGreaterThan(0);
  });

  it.each([
    ["symmetric", 4],
    ["depthwise", 4],
  ])("splits a level of a %s tree in one request", async (growth, levels) => {
    const rows = isFull ? 30_000 : 1500;
    const columns = [11, 7, 5].map((step) => ({
      kind: "numeric" as const,
      valueBins: 16,
      bins: Array.from({ length: rows }, (_, row) => (row * step) % 17),
    }));
    const data = encodeBins(columns);
    const target = Float64Array.from({ length: rows }, (_, row) => Math.sin(row % 289));
    const context = contextOf(REGRESSION, data, target);
    const n = 3;
    // In full more nodes than one request takes.
    const leaves = isFull ? { num_leaves: 255, max_depth: 9 } : { num_leaves: 16, max_depth: 4 };
    const shape = { growth, ...leaves, min_data_in_leaf: 1 };
    const parameters = { ...shape, n_estimators: n };
    const outcome = await fitBoth({ context, parameters }, await desk());
    expect(outcome.byDevice).toBe(outcome.alone);
    // The fit, its rounds; of each tree gradients, its begin, its root's histogram, its levels, its leaves and values.
    if (!isFull) expect(outcome.record.answered).toBeLessThanOrEqual(2 + n * (levels + 5));
    expect(outcome.record.answered).toBeGreaterThan(1 + 2 * n);
  });

  const labels = [
    ["squared error", { task: REGRESSION, weighted: true }],
    ["a logit", { task: BINCLASS, validated: true }],
    ["a softmax of labels by degrees", { task: MULTICLASS, soft: true }],
    ["a softmax", { task: MULTICLASS, weighted: true, validated: true }],
    ["symmetric trees", { task: BINCLASS, weighted: true, growth: "symmetric" }],
  ] as const;
  // Of both softmaxes the labels by degrees read what single ones do.
  it.each(labels.filter(([name]) => IS_LONG || name !== "a softmax"))(
    "keeps its rows there from tree to tree, of %s",
    async (_, options) => {
      const opened = await desk();
      const plain = { weighted: false, soft: false, validated: false, monotone: false };
      const property = fc.asyncProperty(randomFit, async (given) => {
        const rows = isFull ? 2000 + given.rows : 300 + (given.rows % 500);
        const size = { rows, features: featuresOf(given) };
        const fit = fitOf({ ...given, ...plain, ...options, ...size, seed: heldSeed(given.seed) });
        const parameters = {
          ...{ ...fit.parameters, n_estimators: 2, categorical_encoding: "native" },
          num_leaves: leavesOf(given),
          // Rows that are drawn by their gradients do not stay.
          data_sample_strategy: "bagging",
          ...(given.parameters.growth === "symmetric" ? { growth: "depthwise" } : {}),
          ...("growth" in options ? { growth: options.growth } : {}),
        };
        const outcome = await fitBoth({ ...fit, parameters }, opened);
        expect(outcome.byDevice).toBe(outcome.alone);
        expect(outcome.record).toMatchObject({ refused: 0, isWrong: false });
        expect(outcome.isHeld).toBe(true);
      });
      await fc.assert(property, { numRuns: isFull ? 12 : 2, seed: 9 });
    },
  );

  it("keeps rows of several blocks there, and none of numbers that may not stay finite", async () => {
    const opened = await desk();
    const [given] = fc.sample(randomFit, { numRuns: 1, seed: 3 });
    const fit = fitOf({
      ...{ ...given!, task: REGRESSION, rows: 17_000, features: 3, validated: false },
      seed: heldSeed(given!.seed),
    });
    const parameters = {
      ...{ ...fit.parameters, growth: "leafwise", num_leaves: 4, n_estimators: 2 },
      ...{ bagging_fraction: 0.6, categorical_encoding: "native" },
    };
    for (const growth of ["leafwise", "symmetric"]) {
      const depth = { growth, max_depth: 2 };
      const held = await fitBoth({ ...fit, parameters: { ...parameters, ...depth } }, opened);
      expect([held.byDevice, held.isHeld, held.record.isWrong]).toEqual([held.alone, true, false]);
    }
    const target = fit.context.target.map((value, row) => (row === 5 ? 1e20 : value));
    const context = { ...fit.context, target };
    const large = await fitBoth({ context, parameters }, opened);
    expect([large.byDevice, large.isHeld, large.record.isWrong]).toEqual([
      large.alone,
      false,
      false,
    ]);
  });

  it("is the same where splits gain more than those above them, and many as much as each other", async () => {
    const rows = 1024;
    const bit = (row: number, feature: number): number => (row >> feature) & 1;
    const columns = Array.from({ length: 6 }, (_, feature) => ({
      kind: "numeric" as const,
      valueBins: 2,
      bins: Array.from({ length: rows }, (_, row) => bit(row, feature)),
    }));
    const target = Float64Array.from({ length: rows }, (_, row) => {
      const parity = bit(row, 0) ^ bit(row, 1) ^ bit(row, 2);
      // A row tips the balance: without it the root would gain nothing.
      return parity + (bit(row, 3) & bit(row, 4)) / 4 + (row === 5 ? 1 : 0);
    });
    const context = contextOf(REGRESSION, encodeBins(columns), target);
    for (const num_leaves of [5, 11, 40]) {
      const shape = { growth: "leafwise", num_leaves, min_data_in_leaf: 1, n_estimators: 2 };
      const outcome = await fitBoth({ context, parameters: shape }, await desk());
      expect(outcome.byDevice).toBe(outcome.alone);
      expect(outcome.record).toMatchObject({ refused: 0, isWrong: false });
    }
  });

  it.skipIf(!isFull)("is the same of more open nodes than a workgroup has threads", async () => {
    const rows = 6000;
    const columns = [7919, 104_729].map((step) => ({
      kind: "numeric" as const,
      valueBins: 200,
      bins: Array.from({ length: rows }, (_, row) => ((row * step) >> 3) % 201),
    }));
    const target = Float64Array.from({ length: rows }, (_, row) => Math.sin((row * row) % 977));
    const context = contextOf(REGRESSION, encodeBins(columns), target);
    for (const growth of ["leafwise", "depthwise"]) {
      const shape = { growth, num_leaves: 900, max_depth: 0, min_data_in_leaf: 1, n_estimators: 1 };
      const parameters = { ...shape, bagging_fraction: 1, feature_fraction: 1 };
      const outcome = await fitBoth({ context, parameters }, await desk());
      expect(outcome.byDevice).toBe(outcome.alone);
      expect(outcome.record).toMatchObject({ refused: 0, isWrong: false });
    }
  });

  it("is what the CPU fits, of several threads that ask at once", async () => {
    const opened = await desk();
    const pool = new ComputePool(new URL("./testing/shared-fit.ts", import.meta.url), 3);
    const fits = fc.sample(randomFit, { numRuns: isFull ? 12 : 4, seed: 8 }).map((given) => {
      const { context, parameters } = fitOf(few(given));
      return { context, parameters: { ...parameters, n_estimators: 2 } };
    });
    const outcomes = fits.map(async (fit) => {
      const lane = opened.open(fit.context.data.arena, 1)!;
      const context = { ...fit.context, device: lane };
      const byDevice = await pool.run("fitText", { ...fit, context });
      return { byDevice, record: await opened.end(lane) };
    });
    let answered = 0;
    for (const [i, outcome] of outcomes.entries()) {
      const { byDevice, record } = await outcome;
      const { context } = fits[i]!;
      expect(byDevice).toBe(textOf(boost(context, parametersOf(fits[i]!))));
      expect(record.refused).toBe(0);
      answered += record.answered;
    }
    expect(answered).toBeGreaterThan(10);
    await pool.close();
  });

  it("is what the CPU fits, where trees of several fits grow by the same dispatches", async () => {
    const opened = await desk();
    const pool = new ComputePool(new URL("./testing/shared-fit.ts", import.meta.url), 3);
    const [given] = fc.sample(randomFit, { numRuns: 1, seed: 5 });
    const plain = { monotone: false, soft: false, task: REGRESSION, rows: 900, features: 5 };
    const { context, parameters } = fitOf({ ...given!, ...plain });
    // Trees of few steps end on the way of those of many.
    const options = [
      { growth: "leafwise", num_leaves: 20, feature_fraction: 0.5, lambda_l1: 0.5 },
      { growth: "leafwise", num_leaves: 3, feature_fraction: 1, lambda_l1: 0 },
      { growth: "depthwise", num_leaves: 30, feature_fraction: 1, lambda_l1: 2 },
      { growth: "leafwise", num_leaves: 9, bagging_fraction: 0.6, min_data_in_leaf: 50 },
    ];
    const fits = options.map((each) => ({
      context,
      parameters: {
        ...{ ...parameters, data_sample_strategy: "bagging", extra_trees: false, max_depth: 0 },
        ...{ n_estimators: 4, early_stopping_rounds: 0, categorical_encoding: "native", ...each },
      },
    }));
    const before = opened.held;
    const outcomes = await Promise.all(
      fits.map(async (fit) => {
        const lane = opened.open(context.data.arena, 1)!;
        const text = await pool.run("fitText", { ...fit, context: { ...context, device: lane } });
        return { text, record: await opened.end(lane) };
      }),
    );
    for (const [i, { text, record }] of outcomes.entries()) {
      expect(text).toBe(textOf(boost(context, parametersOf(fits[i]!))));
      expect(record).toMatchObject({ refused: 0, isWrong: false });
      expect(record.answered).toBeGreaterThan(10);
    }
    // How many of them go together is the machine's pace; `work-queue.test.ts` has what they wait for.
    const works = opened.held.works - before.works;
    expect(opened.held.submissions - before.submissions).toBeLessThan(works);
    await pool.close();
  });

  it.skipIf(!isFull)("leaves nothing on the device after 200 fits", async () => {
    const opened = await desk();
    const [given] = fc.sample(randomFit, { numRuns: 1, seed: 6 });
    const fit = fitOf({ ...few(given!), rows: 500 });
    const held: GpuDesk["held"][] = [];
    const resident: number[] = [];
    for (let i = 0; i < 200; i++) {
      await fitBoth({ ...fit, parameters: { ...fit.parameters, n_estimators: 1 } }, opened);
      held.push(opened.held);
      resident.push(process.memoryUsage.rss());
    }
    // What earlier tests left in the pool goes in between.
    expect(held[199]!.buffers).toBeLessThanOrEqual(held[20]!.buffers);
    expect(held[199]!.bytes).toBeLessThanOrEqual(held[20]!.bytes);
    expect(resident[199]! - resident[100]!).toBeLessThan(32 * 2 ** 20);
  });
});

describe.skipIf(why !== null)("a device that fails", () => {
  const [given] = fc.sample(randomFit, { numRuns: 1, seed: 7 });
  const base = fitOf({ ...few(given!), rows: 600, features: 6, task: REGRESSION }, numericOnly);
  const parameters = {
    ...base.parameters,
    growth: "leafwise",
    num_leaves: 6,
    max_depth: 0,
    bagging_fraction: 0.6,
    categorical_encoding: "native",
    min_data_in_leaf: 5,
    n_estimators: 5,
  };
  const faults: readonly [Fault, RegExp][] = [
    ["lose", /closed|lost/],
    ["hang", /no answer within/],
    ["refuse", /no room for a buffer/],
    ["crash", /./],
  ];

  it("keeps nobody waiting for a fit that was cancelled while it asked", async () => {
    const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
    module.search = "?fault=hang&after=0";
    const own = mkdtempSync(join(tmpdir(), "devices-"));
    const opened = await GpuDesk.open({ module, folder: own });
    const { arena } = base.context.data;
    await opened.end(opened.open(arena, 1)!);
    const lane = opened.open(arena, 1, 50)!;
    growAnswer(lane, 8);
    // As `ask` does, but for waiting.
    Atomics.store(lane.words, 0, 1);
    Atomics.notify(lane.words, 0);
    while (new Uint8Array(lane.answer)[0] === 0) await setImmediate();
    expect((await opened.end(lane)).reasons.join()).toMatch(/no answer within/);
    await opened.close();
    rmSync(own, { recursive: true });
  });

  // Another device, whose shaders take seconds; forests and side by side have refusals, too.
  it.runIf(IS_LONG)("leaves the fit as it was whatever is refused first", async () => {
    const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
    const afters = isFull ? Array.from({ length: 50 }, (_, i) => i) : [1, 2, 3, 4, 7, 9, 16, 25];
    module.search = `?fault=refuse&after=${afters.join()}`;
    const own = mkdtempSync(join(tmpdir(), "devices-"));
    const opened = await GpuDesk.open({ module, folder: own });
    const fit = fitOf(
      {
        ...{ ...few(given!), rows: 300, features: 3, task: MULTICLASS },
        ...{ weighted: true, validated: true, soft: false },
      },
      numericOnly,
    );
    const shape = {
      ...{ ...fit.parameters, growth: "leafwise", num_leaves: 3, n_estimators: 3 },
      ...{ bagging_fraction: 0.6, categorical_encoding: "native" },
    };
    try {
      await fitBoth({ ...fit, parameters: shape }, opened);
      for (const after of afters) {
        const outcome = await fitBoth({ ...fit, parameters: shape }, opened);
        expect(outcome.byDevice, `after ${after}`).toBe(outcome.alone);
        expect(outcome.record.refused, `after ${after}`).toBeGreaterThan(0);
      }
    } finally {
      await opened.close();
      rmSync(own, { recursive: true });
    }
  });

  // What a device that is lost leaves is among those that are side by side, too: each opens one, whose shaders take seconds.
  it.each(isFull ? faults : faults.filter(([fault]) => IS_LONG && fault === "hang"))(
    "(%s) leaves the fit as it was",
    async (fault, reason) => {
      const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
      module.search = `?fault=${fault}&after=4`;
      const own = mkdtempSync(join(tmpdir(), "devices-"));
      const opened = await GpuDesk.open({ module, folder: own });
      try {
        await fitBoth({ ...base, parameters }, opened);
        const patience = fault === "hang" ? 5000 : undefined;
        const { alone, byDevice, record } = await fitBoth(
          { ...base, parameters },
          opened,
          patience,
        );
        expect(byDevice).toBe(alone);
        expect(record.reasons.join()).toMatch(reason);
        // Not once more for each tree.
        expect(record.refused).toBeLessThanOrEqual(3);
      } finally {
        await opened.close();
        rmSync(own, { recursive: true });
      }
    },
  );

  it("leaves a fit as it was by any wrong answer", async () => {
    const wrong: readonly (readonly [strategy: string, fault: Fault])[] = [
      ...(["miscount", "misjudge", "misplace", "misround", "misdraw", "mislead"] as const).map(
        // Of fits whose rows stay there.
        (fault) => ["bagging", fault] as const,
      ),
      // Of others the rows of leaves come home, and nobody walks the tree.
      ["goss", "miscount"],
      ["goss", "misplace"],
    ];
    const module = new URL("../../compute/gpu/testing/faulty-desk-thread.ts", import.meta.url);
    module.search = `?fault=${wrong.map(([, fault]) => fault).join()}&after=4`;
    const own = mkdtempSync(join(tmpdir(), "devices-"));
    const opened = await GpuDesk.open({ module, folder: own });
    try {
      const fits = new Map<string, SharedFit["parameters"]>(
        ["bagging", "goss"].map((strategy) => [
          strategy,
          { ...parameters, data_sample_strategy: strategy, top_rate: 0.2 },
        ]),
      );
      // The first lane is served.
      await fitBoth({ ...base, parameters: fits.get("bagging")! }, opened);
      // Opened together, as no lane is after one that was wrong has ended.
      const lanes = wrong.map(() => opened.open(base.context.data.arena, 1)!);
      for (const [at, [strategy, fault]] of wrong.entries()) {
        const resolved = parametersOf({ context: base.context, parameters: fits.get(strategy)! });
        const alone = textOf(boost(base.context, resolved));
        const context = { ...base.context, device: lanes[at]! };
        expect(textOf(boost(context, resolved)), `${strategy} ${fault}`).toBe(alone);
      }
      for (const [at, names] of wrong.entries()) {
        const record = await opened.end(lanes[at]!);
        expect(record, names.join()).toMatchObject({ isWrong: true });
        expect(record.reasons.join()).toMatch(/wrong sum/);
        // Not once more for each tree.
        expect(record.refused).toBeLessThanOrEqual(3);
      }
    } finally {
      await opened.close();
      rmSync(own, { recursive: true });
    }
  });
});
