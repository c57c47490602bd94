/**
 * From which size on a device is worth the way to it: the histogram of a node, by the device with its way
 * there and back, against the CPU's kernel on one thread. Measured once a device and kept in a file.
 */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import * as layout from "../../kernels/assembly/growing/layout.ts";
import { Arena } from "../arena.ts";
import { kernelsOf } from "../kernels.ts";
import { CounterRandom, deriveKey } from "../random.ts";
import type { AdapterFacts } from "./adapters.ts";
import type { Device } from "./device.ts";
import { measureNetworkCrossover } from "./network-crossover.ts";
import { treeProgram } from "./tree-program.ts";
import { AT_HOME, BEGIN_FIT, BEGIN_TREE, NODE_HISTOGRAM } from "./tree-requests.ts";

const FEATURES = 32;
const BINS = 255;
const ROWS = 2 ** 18;
const FEW_ROWS = 1024;
const REPEATS = 20;
/** Work before anything is measured: a device that was idle is slower at first. */
const WARM_UP_MS = 200;

/** From which sizes on a device is worth the way to it; Infinity where the CPU is as fast at any. */
export interface Crossovers {
  /** Cells (rows × features) of a node. */
  readonly cells: number;
  /** Multiplications of a network's step. */
  readonly multiplications: number;
}

export async function crossoversOf(device: Device, folder: string): Promise<Crossovers> {
  return {
    cells: await knownOrMeasured(device, folder, "", measureCrossover),
    multiplications: await knownOrMeasured(device, folder, " | network", (opened) =>
      measureNetworkCrossover(opened),
    ),
  };
}

async function knownOrMeasured(
  device: Device,
  folder: string,
  what: string,
  measure: (device: Device) => Promise<number>,
): Promise<number> {
  const { facts } = device;
  // It is the CPU, by a longer way.
  if (facts.isSoftware) return Number.POSITIVE_INFINITY;
  const file = join(folder, "crossover.json");
  const key = keyOf(facts) + what;
  const known = readKnown(file);
  const least = known[key];
  if (least !== undefined) return least ?? Number.POSITIVE_INFINITY;
  const measured = await measure(device);
  // Null is how JSON writes Infinity. Replaced whole, since other processes may read it.
  const apart = `${file}.${process.pid}`;
  writeFileSync(apart, JSON.stringify({ ...known, [key]: measured }));
  renameSync(apart, file);
  return measured;
}

const keyOf = ({ vendor, name, description }: AdapterFacts): string =>
  [vendor, name, description, process.arch].join(" | ");

function readKnown(file: string): Record<string, number | null> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    const entries = Object.entries(read instanceof Object ? read : {});
    return Object.fromEntries(
      entries.filter(([, cells]) => cells === null || typeof cells === "number"),
    );
  } catch {
    // None yet, or not ours: it is measured again.
    return {};
  }
}

/** The same without a file. @param rows of the large histogram @throws DeviceError */
export async function measureCrossover(device: Device, rows = ROWS): Promise<number> {
  const arena = Arena.create(2 ** 27);
  const data = kernelData(arena, rows);
  const session = treeProgram.open({
    device,
    bytes: () => arena.memory.buffer,
    resident: () => device.buffer(rows * FEATURES),
  });
  try {
    const answer = new Uint8Array(new SharedArrayBuffer(data.entries * 8));
    await session.answer(
      BEGIN_FIT,
      Uint32Array.of(data.bins, FEATURES, rows, rows, 0, 0, 0),
      answer,
    );
    await session.answer(BEGIN_TREE, data.tree, answer);
    const onDevice = async (count: number): Promise<number> => {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < REPEATS; i++) {
        const begun = performance.now();
        await session.answer(NODE_HISTOGRAM, Uint32Array.of(0, count), answer);
        least = Math.min(least, performance.now() - begun);
      }
      return least;
    };
    const kernels = kernelsOf(arena);
    let cpu = Number.POSITIVE_INFINITY;
    for (let i = 0; i < REPEATS; i++) {
      const begun = performance.now();
      kernels.buildHistogram(data.block, data.rows, rows, data.histogram);
      cpu = Math.min(cpu, performance.now() - begun);
    }
    const begun = performance.now();
    let many: number;
    do many = await onDevice(rows);
    while (performance.now() - begun < WARM_UP_MS);
    const few = await onDevice(FEW_ROWS);
    const cpuOfCell = cpu / (rows * FEATURES);
    const deviceOfCell = Math.max(0, many - few) / ((rows - FEW_ROWS) * FEATURES);
    if (deviceOfCell >= cpuOfCell) return Number.POSITIVE_INFINITY;
    return Math.ceil(few / (cpuOfCell - deviceOfCell));
  } finally {
    session.close();
  }
}

/** Random bins and gradients of so many rows of 32 features, in an arena of their own, which goes as a whole. */
export function kernelData(arena: Arena, count: number) {
  const allocate = (bytes: number): number => arena.allocate(bytes);
  const random = new CounterRandom(deriveKey(0, "crossover"));
  const entries = FEATURES * (BINS + 1);
  const bins = allocate(count * FEATURES);
  const cells = arena.u8(bins, count * FEATURES);
  for (let i = 0; i < cells.length; i++) cells[i] = random.nextInteger(BINS);
  const packed = allocate(count * 8);
  const pairs = arena.u32(packed, 2 * count);
  for (let i = 0; i < pairs.length; i++) pairs[i] = random.nextInteger(1000);
  const rows = allocate(count * 4);
  arena.u32(rows, count).set(Uint32Array.from({ length: count }, (_, row) => row));
  const list = allocate(FEATURES * 4);
  const offsets = allocate(FEATURES * 4);
  for (let feature = 0; feature < FEATURES; feature++) {
    arena.u32(list, FEATURES)[feature] = feature;
    arena.u32(offsets, FEATURES)[feature] = feature * (BINS + 1);
  }
  const block = allocate(layout.BYTES);
  const histogram = allocate(entries * 8);
  const blockRows = 256;
  const words: Readonly<Record<number, number>> = {
    [layout.ROW_MAJOR]: bins,
    [layout.ROW_STRIDE]: FEATURES,
    [layout.PACKED]: packed,
    [layout.OFFSETS]: offsets,
    [layout.FEATURE_LIST]: list,
    [layout.FEATURE_COUNT]: FEATURES,
    [layout.HISTOGRAM_ENTRIES]: entries,
    [layout.BLOCK]: allocate(blockRows * (FEATURES + 8)),
    [layout.BLOCK_ROWS]: blockRows,
  };
  const view = arena.i32(block, layout.BYTES / 4).fill(0);
  for (const [at, value] of Object.entries(words)) view[Number(at) / 4] = value;
  const tree = Uint32Array.of(packed, rows, count, 1, list, offsets, FEATURES, entries, 1, AT_HOME);
  return { bins, packed, rows, offsets, block, histogram, entries, tree };
}
