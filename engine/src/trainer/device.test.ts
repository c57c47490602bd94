/** Whole runs with a device: what they say of it, and that their models are those of runs without. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { chooseAdapter } from "../compute/gpu/adapters.ts";
import { lockDevice } from "../compute/gpu/device-lock.ts";
import type { DeviceName, DeviceSettings } from "../compute/gpu/device-settings.ts";
import { Devices } from "../compute/gpu/devices.ts";
import { whyNoDevice } from "../compute/gpu/testing/swiftshader.ts";
import type { Table } from "../data/table.ts";
import { createPool } from "../worker/pool.ts";
import { runConfigSchema } from "./config/config.ts";
import type { RunEvent } from "./log/events.ts";
import { MemoryRunStore } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { RunDriver } from "./run.ts";
import { DyingStore, modelFiles } from "./testing/dying-store.ts";

const why = whyNoDevice();
const folder = mkdtempSync(join(tmpdir(), "devices-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = 400;
const table: Table = {
  rows,
  columns: ["x", "z", "y"].map((name, c) => ({
    kind: "numeric",
    name,
    values: Float64Array.from(
      { length: rows },
      (_, row) => Math.sin(row * (c + 1)) + (row % (c + 3)),
    ),
  })),
};

const pool = createPool(1, {
  devices: { folder, leastCells: 1, tensorflow: "@tensorflow/tfjs" },
});
afterAll(() => pool.close());

/** @param killedAfter the process dies after its last event of this type, and another goes on */
async function runOn(device: DeviceName, killedAfter?: RunEvent["type"]) {
  const fixed = { n_estimators: 2, num_leaves: 4, categorical_encoding: "native" };
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y" },
    modelFamilies: ["gbdt"],
    hpoSpace: { models: [{ family: "gbdt", fixed }] },
    metrics: ["rmse"],
    nTrials: 1,
    nCvSplits: 2,
    ensemble: false,
    importanceRows: 50,
    device,
  });
  const store = new MemoryRunStore();
  const run = prepareTable(table, config);
  const drive = (at: MemoryRunStore) => new RunDriver({ run, config, store: at, pool }).drive();
  if (killedAfter !== undefined) {
    const whole = new MemoryRunStore();
    await drive(whole);
    const last = whole.events.findLastIndex(({ type }) => type === killedAfter);
    await expect(drive(new DyingStore(store, last + 1))).rejects.toThrow("killed");
    expect(store.events.at(-1)!.type).toBe(killedAfter);
  }
  const state = await drive(store);
  const { "model/model.json": document, ...weights } = modelFiles(store);
  const { card, ...rest } = JSON.parse(Buffer.from(document!, "base64").toString());
  const { device: line, ...environment } = card.environment;
  return {
    report: state.device,
    line,
    files: { ...weights, rest, card: { ...card, environment } },
  };
}

/** A run of networks. @param other goes on after the first fit, as another machine would */
async function networksOn(device: DeviceName, other?: DeviceName) {
  const configOf = (asked: DeviceName) =>
    runConfigSchema.parse({
      task: { taskKind: "regression", labelColumn: "y" },
      modelFamilies: ["mlp"],
      hpoSpace: { models: [{ family: "mlp", fixed: { epochs: 2, hidden_width: 8 } }] },
      metrics: ["rmse"],
      nTrials: 1,
      nCvSplits: 2,
      ensemble: false,
      importanceRows: 50,
      device: asked,
    });
  const run = prepareTable(table, configOf(device));
  const drive = (at: MemoryRunStore, asked: DeviceName) =>
    new RunDriver({ run, config: configOf(asked), store: at, pool }).drive();
  const store = new MemoryRunStore();
  if (other !== undefined) {
    const whole = new MemoryRunStore();
    await drive(whole, device);
    const first = whole.events.findIndex(({ type }) => type === "fold_finished");
    await expect(drive(new DyingStore(store, first + 1), device)).rejects.toThrow("killed");
  }
  await drive(store, other ?? device);
  const { "model/model.json": document } = modelFiles(store);
  const { card } = JSON.parse(Buffer.from(document!, "base64").toString());
  const facts = store.events.flatMap((event) =>
    event.type === "fold_finished" || event.type === "fitted" ? [event.facts["device"]] : [],
  );
  return { line: card.environment.device, facts };
}

/** What a run says of devices, and whether it got a lane. */
async function asked(settings: DeviceSettings, device: DeviceName) {
  const devices = new Devices({ folder, leastCells: 1, ...settings });
  try {
    const run = devices.forRun(device);
    const lane = await run.laneFor(Arena.create(2 ** 22).handle(), 2 ** 21);
    await lane?.end();
    return { report: run.settled, hasLane: lane !== null };
  } finally {
    await devices.close();
  }
}

describe("a run", () => {
  it.skipIf(why !== null)(
    "has the CPU's models where a device took part, and says so",
    async () => {
      const cpu = await runOn("wasm");
      const gpu = await runOn("webgpu");
      expect([cpu.report, cpu.line]).toEqual([null, undefined]);
      expect(gpu.report).toMatch(/requests of 3 fits .*device: webgpu/);
      expect(gpu.line).toContain("was there for large nodes");
      expect(gpu.files).toEqual(cpu.files);
    },
  );

  it("has the card of a run that was not killed, also where the process that ends it fits nothing", async () => {
    const killed = await runOn("webgpu", "fitted");
    const whole = await runOn("webgpu");
    expect(whole.line).toMatch(/was there for|CPU computes/);
    expect(killed.line).toBe(whole.line);
    expect(killed.files).toEqual(whole.files);
    expect(killed.report).toBe(killed.line);
  });

  it.skipIf(why !== null)("says which networks a device trained, also after a kill", async () => {
    const { facts } = await chooseAdapter({});
    const whole = await networksOn("webgpu");
    expect(whole.line).toContain(`${facts.name} (${facts.description}) trained networks`);
    expect(whole.facts).toEqual([facts.name, facts.name, facts.name]);
    const killed = await networksOn("webgpu", "wasm");
    expect(killed.line).toBe(whole.line);
    // A fit is whole on one of them: what was finished is kept, what was not is done anew.
    expect(killed.facts).toEqual([facts.name, undefined, undefined]);
  });

  it("says which networks TensorFlow.js trained", async () => {
    const { line, facts } = await networksOn("tensorflow");
    expect(line).toMatch(/^tensorflow \(@tensorflow\/tfjs\) trained networks/);
    expect(facts).toEqual(Array.from({ length: 3 }, () => "tensorflow (cpu)"));
  });

  it("names no device for networks alone that the clock ended", async () => {
    const configOf = (more: object) =>
      runConfigSchema.parse({
        task: { taskKind: "regression", labelColumn: "y" },
        modelFamilies: ["linear", "mlp"],
        hpoSpace: {
          models: [{ family: "linear" }, { family: "mlp", fixed: { epochs: 2, hidden_width: 8 } }],
        },
        nTrials: 1,
        nCvSplits: 2,
        importanceRows: 50,
        timeBudgetS: 3600,
        ...more,
        device: "tensorflow",
      });
    const drive = (at: MemoryRunStore, more: object = {}) => {
      const config = configOf(more);
      return new RunDriver({ run: prepareTable(table, config), config, store: at, pool }).drive();
    };
    const whole = new MemoryRunStore();
    await drive(whole);
    const settled = whole.events.findIndex(({ type }) => type === "device_settled");
    expect(whole.events[settled]).toMatchObject({ trial: 1 });
    const first = whole.events.findIndex(({ type }) => type === "trial_finished");
    expect(whole.events[first]).toMatchObject({ trial: 0 });
    const store = new MemoryRunStore();
    const killed = new DyingStore(store, Math.max(settled, first) + 1);
    await expect(drive(killed)).rejects.toThrow("killed");
    const { at } = whole.events[first]!;
    const reason = "The time was up.";
    await store.appendEvent({ type: "search_stopped", reason, trials: 1, allowed: 1, at });
    const { trials } = await drive(store);
    expect(trials.map(({ state }) => state)).toEqual(["finished", "dropped"]);
    const files = modelFiles(store);
    const { card } = JSON.parse(Buffer.from(files["model/model.json"]!, "base64").toString());
    expect(card.environment.device).toMatch(/no fit was of one/);
    const again = new MemoryRunStore();
    await drive(again, card.config);
    expect(modelFiles(again)).toEqual(files);
  });

  it("names no device that it never asked", async () => {
    const devices = new Devices({ folder });
    const run = devices.forRun("webgpu");
    expect(await run.laneFor(Arena.create(2 ** 22).handle(), 0)).toBeNull();
    expect(run.settled ?? run.unsettled).toMatch(/no fit was large enough|no GPU|not installed/);
    await devices.close();
  });

  it("says why the CPU computes", async () => {
    expect(await asked({}, "wasm")).toEqual({ report: null, hasLane: false });
    const other = await asked({ tensorflow: "no-such-library" }, "tensorflow");
    expect(other.report).toMatch(/^the CPU computes: the optional package .* is not installed/);
    const unknown = await asked({ name: "no such GPU" }, "webgpu");
    expect(unknown.report).toMatch(
      /^the CPU computes: .*(no such GPU|not installed|no GPU adapter)/,
    );
    expect([other.hasLane, unknown.hasLane]).toEqual([false, false]);
  });

  it.skipIf(why !== null)("spreads its fits over several adapters, and says so", async () => {
    const other = mkdtempSync(join(tmpdir(), "devices-"));
    // Each has its own lock: one adapter stands for two.
    const also = [{ folder: other }, { name: "no such GPU" }];
    const devices = new Devices({ folder, leastCells: 1, also });
    const run = devices.forRun("webgpu");
    const arena = Arena.create(2 ** 22).handle();
    const lanes = [await run.laneFor(arena, 100), await run.laneFor(arena, 100)];
    for (const lane of lanes) await lane?.end();
    expect(run.report).toMatch(
      /^(.*: 0 requests of 1 fits in 0.0 s; ){2}device: webgpu; not used: No GPU adapter .* no such GPU/,
    );
    expect(run.settled).toMatch(
      /was there for .*; not used: No GPU adapter here is called no such/,
    );
    await devices.close();
    rmSync(other, { recursive: true });
  });

  it.skipIf(why !== null)(
    "leaves software to those who ask, and what others hold alone",
    async () => {
      const own = mkdtempSync(join(tmpdir(), "devices-"));
      const { facts } = await chooseAdapter({});
      const lock = lockDevice(facts.name, own);
      const held = await asked({ folder: own }, "webgpu");
      expect(held.report).toMatch(/^the CPU computes: .* is held by this process/);
      lock.release();
      const automatic = new Devices({ folder: own });
      const run = automatic.forRun();
      expect(await run.laneFor(Arena.create(2 ** 22).handle(), 2 ** 21)).toBeNull();
      expect(run.settled).toMatch(/is software$/);
      await automatic.close();
      rmSync(own, { recursive: true });
    },
  );
});

describe("the lock of a device", () => {
  it("is taken from none that lives", () => {
    const first = lockDevice("a GPU", folder);
    expect(() => lockDevice("a GPU", folder)).toThrow(/held by this process/);
    lockDevice("another GPU", folder).release();
    const other = readdirSync(folder)[0]!.replace(/\.\d+\..*/, `.${process.ppid}..left.lock`);
    first.release();
    writeFileSync(join(folder, other), "");
    expect(() => lockDevice("a GPU", folder)).toThrow(
      `The GPU adapter a GPU is held by another process (${process.ppid}).`,
    );
    rmSync(join(folder, other));
  });

  it("is taken from a process that is no more", () => {
    const first = lockDevice("a GPU", folder);
    const held = readdirSync(folder);
    first.release();
    const left = readdirSync(folder);
    const file = held.find((name) => !left.includes(name));
    const [digest, pid, begin] = file!.split(".");
    expect(Number(pid)).toBe(process.pid);

    // As processes leave it that are killed: nobody has this number, and somebody else has it by now.
    for (const dead of [`${2 ** 22 + 1}.${begin}`, `${pid}.${begin === "" ? "" : `${begin}0`}`]) {
      if (dead.endsWith(".")) continue;
      writeFileSync(join(folder, `${digest}.${dead}.left.lock`), "");
      lockDevice("a GPU", folder).release();
      expect(readdirSync(folder)).toEqual(left);
    }
  });
});
