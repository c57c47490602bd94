/**
 * What a histogram reads a second, beside what the device copies a second. Of both the way there and back is left out:
 * one piece of work has several of them, another one, and what they take apart from each other counts.
 */

import type { Device } from "../../../engine/src/compute/gpu/device.ts";
import type { Step } from "../../../engine/src/compute/gpu/work-queue.ts";
import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import { featuresOfGroup, histogramShader } from "../../../engine/src/shaders/histogram.ts";
import { least } from "./least-seconds.ts";

/** Of a row's bins. */
const STRIDE = 32;
const BINS = 256;
const ROW_BYTES = STRIDE + 8 + 4;
/** What is beside the way takes so long at least, or is done so often. */
const LEAST_SECONDS = 0.01;
const MOST = 2048;
const PARTS = 512;
const ROWS_OF_WORKGROUP = 8192;

export interface Bandwidth {
  /** Bytes of rows a second, in units of 10⁹. */
  readonly histogram: number;
  /** Bytes read and bytes written. */
  readonly copy: number;
}

export async function measureBandwidth(
  device: Device,
  rows: number,
  repeats: number,
): Promise<Bandwidth> {
  const random = new CounterRandom(deriveKey(0, "bandwidth"));
  const cells = Uint8Array.from({ length: STRIDE * rows }, () => random.nextInteger(BINS));
  const width = featuresOfGroup(device.limits.maxComputeWorkgroupStorageSize);
  const groups = STRIDE / width;
  const inputs = [
    cells,
    Uint32Array.from({ length: 2 * rows }, () => random.nextInteger(1000)),
    Uint32Array.from({ length: rows }, (_, row) => row),
    Uint32Array.from({ length: STRIDE }, (_, feature) => BINS * feature),
    Uint32Array.from({ length: groups }, (_, group) => group),
    Uint32Array.of(0, rows),
  ];
  const shape = await device.buffer(16, "uniform");
  device.write(shape, 0, Uint32Array.of(groups, groups, BINS * STRIDE, 0));
  const buffers: GPUBuffer[] = [];
  for (const input of inputs) {
    const buffer = await device.buffer(input.byteLength);
    device.write(buffer, 0, new Uint8Array(input.buffer));
    buffers.push(buffer);
  }
  const sums = await device.buffer(8 * BINS * STRIDE);
  const copied = await device.buffer(cells.byteLength);
  const kernel = await device.kernel(histogramShader(width), [shape, ...buffers, sums]);
  const parts = Math.min(PARTS, Math.ceil(rows / ROWS_OF_WORKGROUP));
  const bytes = cells.byteLength;
  const secondsOf = async (step: Step): Promise<number> => {
    const some = (count: number): Promise<number> =>
      least(repeats, () => device.run({ steps: new Array<Step>(count).fill(step) }));
    const one = await some(1);
    for (let more = 8; ; more *= 4) {
      const seconds = (await some(1 + more)) - one;
      if (seconds >= LEAST_SECONDS || more >= MOST) return seconds / more;
    }
  };
  const histogram = await secondsOf({ kernel, groups: [parts, groups] });
  const copy = await secondsOf({ copy: buffers[0]!, from: 0, to: copied, at: 0, bytes });
  for (const buffer of [...buffers, sums, copied]) device.release(buffer);
  device.release(shape, "uniform");
  return {
    histogram: (ROW_BYTES * rows) / histogram / 1e9,
    copy: (2 * bytes) / copy / 1e9,
  };
}
