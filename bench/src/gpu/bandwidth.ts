/**
 * What a histogram reads a second, beside what the device copies a second. Of both the way there and back is left out:
 * one piece of work has several of them, another one, and what they take apart from each other counts.
 */

import { Arena } from "../../../engine/src/compute/arena.ts";
import { kernelData } from "../../../engine/src/compute/gpu/crossover.ts";
import type { Device } from "../../../engine/src/compute/gpu/device.ts";
import type { Step } from "../../../engine/src/compute/gpu/steps.ts";
import { FIT_WORDS, fitWords, MOST_FITS } from "../../../engine/src/shaders/fits.ts";
import {
  featuresOfGroup,
  histogramShader,
  unitsOf,
} from "../../../engine/src/shaders/histogram.ts";
import { least } from "./least-seconds.ts";

/** Of a row's bins. */
const STRIDE = 32;
const ROW_BYTES = STRIDE + 8 + 4;
/** What is beside the way takes so long at least, or is done so often. */
const LEAST_SECONDS = 0.01;
const MOST = 2048;

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
  const arena = Arena.create();
  const data = kernelData(arena, rows);
  const bytes = STRIDE * rows;
  const width = featuresOfGroup(device.limits.maxComputeWorkgroupStorageSize);
  const groups = STRIDE / width;
  const inputs = [
    arena.u8(data.bins, bytes),
    arena.u32(data.packed, 2 * rows),
    arena.u32(data.rows, rows),
    arena.u32(data.offsets, STRIDE),
    Uint32Array.from({ length: groups }, (_, group) => group),
    Uint32Array.of(1, 0, 0, rows),
  ];
  const shape = await device.buffer(4 * FIT_WORDS * MOST_FITS, "uniform");
  const facts = { rowGroups: groups, listedGroups: groups, entries: data.entries };
  device.write(shape, 0, Uint32Array.from(fitWords(facts)));
  const buffers: GPUBuffer[] = [];
  for (const input of inputs) {
    const buffer = await device.buffer(input.byteLength);
    device.write(buffer, 0, input);
    buffers.push(buffer);
  }
  const sums = await device.buffer(8 * data.entries);
  const copied = await device.buffer(bytes);
  const kernel = await device.kernel(histogramShader(width), [shape, ...buffers, sums]);
  const secondsOf = async (step: Step): Promise<number> => {
    const some = (count: number): Promise<number> =>
      least(repeats, () => device.run({ steps: new Array<Step>(count).fill(step) }));
    const one = await some(1);
    for (let more = 8; ; more *= 4) {
      const seconds = (await some(1 + more)) - one;
      if (seconds >= LEAST_SECONDS || more >= MOST) return seconds / more;
    }
  };
  const histogram = await secondsOf({ kernel, groups: [unitsOf([rows], groups)] });
  const copy = await secondsOf({ copy: buffers[0]!, from: 0, to: copied, at: 0, bytes });
  for (const buffer of [...buffers, sums, copied]) device.release(buffer);
  device.release(shape, "uniform");
  return {
    histogram: (ROW_BYTES * rows) / histogram / 1e9,
    copy: (2 * bytes) / copy / 1e9,
  };
}
