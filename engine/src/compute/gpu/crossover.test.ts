/** What is measured of a device when it is first opened. On SwiftShader, which is no faster than the CPU. */

import { expect, it } from "vitest";
import { chooseAdapter } from "./adapters.ts";
import { measureCrossover } from "./crossover.ts";
import { Device } from "./device.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();

it.skipIf(why !== null)("asks a device for histograms as fits do", async () => {
  const device = await Device.open(await chooseAdapter({}), { memoryBytes: 2 ** 28 });
  try {
    expect(await measureCrossover(device, 8192)).toBeGreaterThan(0);
  } finally {
    device.close();
  }
});
