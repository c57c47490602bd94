/** What a process tells of its devices, without opening any, and whatever a driver or another process does meanwhile. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Arena } from "../arena.ts";
import { lockDevice } from "./device-lock.ts";
import { Devices } from "./devices.ts";
import { probeAdapters } from "./probe.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();
const folder = mkdtempSync(join(tmpdir(), "distillery-announced-"));
const before = process.env["LD_LIBRARY_PATH"];
beforeAll(() => {
  // For the process that looks: this one has the loader already.
  process.env["LD_LIBRARY_PATH"] = dirname(process.env["VK_ICD_FILENAMES"] ?? "");
});
afterAll(() => {
  if (before === undefined) delete process.env["LD_LIBRARY_PATH"];
  else process.env["LD_LIBRARY_PATH"] = before;
  rmSync(folder, { recursive: true });
});

/** Another process, which has the device when this resolves, and keeps it until it ends. */
async function holdElsewhere(name: string, at: string): Promise<ChildProcess> {
  const lock = new URL("./device-lock.ts", import.meta.url).href;
  const script = `import { lockDevice } from ${JSON.stringify(lock)};
    lockDevice(...${JSON.stringify([name, at])});
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

describe.skipIf(why !== null)(`the devices of a process (${why ?? "SwiftShader"})`, () => {
  it("are known before any is opened, and what they are at is as of each look", async () => {
    const devices = new Devices({ device: "webgpu", folder, also: [{ name: "Abacus" }] });
    expect(devices.announced).toEqual({ devices: [], missing: [] });
    await devices.probe();
    const looked = () => devices.announced.devices[0];
    expect(devices.announced).toMatchObject({
      devices: [
        {
          ...{ device: "webgpu", backend: "vulkan", isSoftware: true },
          ...{ driver: expect.stringMatching(/SwiftShader/), maxBufferBytes: expect.any(Number) },
          ...{ state: "free", reason: null },
        },
      ],
      missing: [expect.stringMatching(/^No GPU adapter here is called Abacus; there is: Swift/)],
    });
    const { name = "" } = looked() ?? {};
    const lock = lockDevice(name, folder);
    expect(looked()).toMatchObject({ state: "free" });
    lock.release();
    const run = devices.forRun();
    const lane = await run.laneFor(Arena.create(2 ** 24).handle(), 2 ** 20);
    expect(looked()).toMatchObject({ state: "busy" });
    await lane?.end();
    expect(looked()).toMatchObject({ state: "free" });
    await devices.close();
    expect(looked()).toMatchObject({ state: "free" });
  });

  it("are held while another process has them, and the next run's after that", async () => {
    const devices = new Devices({ device: "webgpu", folder });
    await devices.probe();
    const { name = "" } = devices.announced.devices[0] ?? {};
    const other = await holdElsewhere(name, folder);
    const arena = Arena.create(2 ** 24).handle();
    const held = devices.forRun();
    expect(await held.laneFor(arena, 2 ** 20)).toBeNull();
    expect(held.settled).toBe(
      `the CPU computes: The GPU adapter ${name} is held by another process (${other.pid})`,
    );
    expect(devices.announced.devices).toMatchObject([
      { state: "held", reason: `another process of this machine (${other.pid}) has it` },
    ]);
    const still = devices.forRun();
    expect(await still.laneFor(arena, 2 ** 20)).toBeNull();
    expect(still.settled).toBe(held.settled);
    // It leaves its lock behind.
    other.kill("SIGKILL");
    await once(other, "exit");
    expect(devices.announced.devices).toMatchObject([{ state: "free", reason: null }]);
    const runs = [devices.forRun(), devices.forRun()];
    const lanes = await Promise.all(runs.map((run) => run.laneFor(arena, 2 ** 20)));
    expect(devices.announced.devices).toMatchObject([{ state: "busy" }]);
    for (const lane of lanes) expect(await lane?.end()).toBeUndefined();
    expect(runs.map(({ report }) => report)).toEqual(
      lanes.map(() => expect.stringMatching(/0 requests of 1 fits/)),
    );
    await devices.close();
  });

  it("are gone where they did not open", async () => {
    const module = new URL("./testing/no-such-thread.ts", import.meta.url);
    const devices = new Devices({ device: "webgpu", folder, module });
    await devices.probe();
    expect(await devices.forRun().laneFor(Arena.create(2 ** 24).handle(), 2 ** 20)).toBeNull();
    expect(devices.announced.devices).toMatchObject([
      { state: "gone", reason: expect.stringMatching(/^The GPU does not open: /) },
    ]);
    await devices.close();
  });

  it("are not known where a driver ends its process, or hangs: one line each", async () => {
    const module = new URL("./testing/faulty-probe.ts", import.meta.url);
    const probed = (name: string, patienceMs?: number) =>
      probeAdapters([{ name }], { module, ...(patienceMs && { patienceMs }) });
    const line = "The adapters of this machine are not known: the process that looks for them";
    expect(await probed("crash")).toEqual([{ missing: `${line} ended (SIGSEGV).` }]);
    expect(await probed("hang", 20)).toEqual([{ missing: `${line} said nothing within 0.02 s.` }]);
  });
});
