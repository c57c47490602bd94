/**
 * The work of a GPU beside the CPU's, on the machine's adapter or else on SwiftShader: each request of growing
 * trees, rounds of boosting whose rows stay there, gradients of networks and a whole fit of each family, predictions and
 * explanations, the least time of each; and whether all bytes are equal, of networks whether they are near. See `bench/gpu/README.md`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Arena } from "../../../engine/src/compute/arena.ts";
import {
  adapterNames,
  chooseAdapter,
  NoDeviceError,
} from "../../../engine/src/compute/gpu/adapters.ts";
import { kernelData, measureCrossover } from "../../../engine/src/compute/gpu/crossover.ts";
import { GpuDesk } from "../../../engine/src/compute/gpu/desk.ts";
import { Device } from "../../../engine/src/compute/gpu/device.ts";
import type { Session } from "../../../engine/src/compute/gpu/program.ts";
import { useSwiftShader } from "../../../engine/src/compute/gpu/testing/swiftshader-adapter.ts";
import { treeProgram } from "../../../engine/src/compute/gpu/tree-program.ts";
import {
  BEGIN_FIT,
  BEGIN_TREE,
  HEAD_WORDS,
  LIST_BYTES,
  NODE_HISTOGRAM,
  NODE_ROWS,
  SPLIT_NODES,
} from "../../../engine/src/compute/gpu/tree-requests.ts";
import { kernelsOf } from "../../../engine/src/compute/kernels.ts";
import { extraTrees } from "../../../engine/src/families/extra_trees/family.ts";
import type { Family } from "../../../engine/src/families/family.ts";
import { gbdt } from "../../../engine/src/families/gbdt/family.ts";
import { oblivious } from "../../../engine/src/families/oblivious/family.ts";
import { randomForest } from "../../../engine/src/families/random_forest/family.ts";
import type { Parameters } from "../../../engine/src/search/space.ts";
import { syntheticData } from "../bench-data.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { type Bandwidth, measureBandwidth } from "./bandwidth.ts";
import { peerFits } from "./cuda-peers.ts";
import { bytesOf, contextOf } from "./fitted-rows.ts";
import { checkHeldRows } from "./held-checks.ts";
import { least } from "./least-seconds.ts";
import { checkGradients, checkNetworkFit } from "./network-checks.ts";
import { checkRound, type RoundSize } from "./round-checks.ts";
import { checkSearch, type SearchSize } from "./search-checks.ts";
import { checkWalks } from "./walk-checks.ts";

export interface GpuOptions {
  readonly quick: boolean;
  /** Of other libraries. */
  readonly python: string;
  readonly print: (text: string) => void;
  /** Members of the file of `--json`. */
  readonly report: (members: Readonly<Record<string, unknown>>) => void;
}

export interface Check {
  readonly name: string;
  /** Bytes; or, of what is near and no more, within the bound. */
  readonly equal: boolean;
  /** The bound, in words; absent: bytes are equal. */
  readonly within?: string;
  readonly cpu_s: number;
  readonly gpu_s: number;
}

const FEATURES = 32;
const LEAST_ROWS = 65;
/** Of fits of trees. */
const ROUNDS = 3;
const QUICK_ROUNDS: readonly RoundSize[] = [{ rows: 5000, leaves: 15, rounds: [1, 2] }];
const LARGE_ROUNDS: readonly RoundSize[] = [
  { rows: 1_000_000, leaves: 255, rounds: [2, 22] },
  { rows: 10_000_000, leaves: 255, rounds: [2, 7] },
];

/** So many rows that \`webgpu\` takes them. */
const QUICK_SEARCH: SearchSize = { rows: 12_000, trials: 1, rounds: 2, leaves: 8 };
const SEARCH: SearchSize = { rows: 50_000, trials: 50, rounds: 1000, leaves: 200 };

export async function benchGpu({ quick, python, print, report }: GpuOptions): Promise<void> {
  const missing = await whyNone();
  if (missing !== null) {
    print(`\nNo GPU: ${missing}\n`);
    report({ adapter: null, checks: [] });
    return;
  }
  const checks: Check[] = [];
  const device = await Device.open(await chooseAdapter({}), { memoryBytes: 4 * 2 ** 30 });
  const { facts } = device;
  const rows = quick ? 2 ** 15 : 2 ** 22;
  const repeats = quick ? 2 : 5;
  let crossover: number;
  let bandwidth: Bandwidth;
  try {
    checks.push(...(await checkRequests(device, rows, repeats)));
    checks.push(...(await checkHeldRows(device, rows, repeats)));
    crossover = await measureCrossover(device);
    bandwidth = await measureBandwidth(device, rows, repeats);
  } finally {
    device.close();
  }
  const folder = mkdtempSync(join(tmpdir(), "devices-"));
  const desk = await GpuDesk.open({ folder });
  try {
    for (const family of [gbdt, oblivious]) {
      const parameters = { early_stopping_rounds: 0, bagging_fraction: 1 };
      checks.push(await checkFit(desk, family, quick ? 20_000 : 1_000_000, parameters));
    }
    for (const size of quick ? QUICK_ROUNDS : LARGE_ROUNDS) {
      checks.push(await checkRound(desk, size));
    }
    for (const family of [randomForest, extraTrees]) {
      // By entropy they are no matter for a device.
      const parameters = {
        criterion: "gini",
        ...(quick ? { max_leaf_nodes: 30 } : { n_estimators: 100 }),
      };
      checks.push(await checkFit(desk, family, quick ? 300 : 100_000, parameters, 1));
    }
    checks.push(await checkGradients(desk, quick ? 256 : 4096));
    const epochs = quick ? 1 : 10;
    const batch_size = quick ? 256 : 4096;
    checks.push(await checkNetworkFit(desk, quick ? 5000 : 500_000, { epochs, batch_size }));
    const predicted = quick ? 5000 : 100_000;
    checks.push(...(await checkWalks(desk, gbdt, predicted, quick ? 50 : 50_000)));
    // On software a forest's would take minutes.
    checks.push(...(await checkWalks(desk, randomForest, predicted, quick ? 0 : 50_000)));
  } finally {
    await desk.close();
    rmSync(folder, { recursive: true });
  }
  checks.push(await checkSearch(quick ? QUICK_SEARCH : SEARCH));
  print(
    `\n${facts.name} (${facts.description}); ${Number.isFinite(crossover) ? `nodes of ${crossover} cells or more are` : "no node is"} worth the way; a histogram reads ${shortNumber(bandwidth.histogram)} GB/s, of ${shortNumber(bandwidth.copy)} that a copy reads and writes\n${textTable(
      ["", "equal", "CPU s", "GPU s", "times as fast"],
      checks.map(({ name, equal, within, cpu_s, gpu_s }) => [
        name,
        !equal ? "NO" : within === undefined ? "yes" : `within ${within}`,
        shortNumber(cpu_s),
        shortNumber(gpu_s),
        shortNumber(cpu_s / gpu_s),
      ]),
    )}\n`,
  );
  const peers = await peerFits(python, syntheticData(quick ? 20_000 : 1_000_000, 28), {
    ...{ device: "cuda", rounds: ROUNDS, leaves: 31, epochs: 1, batch: quick ? 256 : 4096 },
    ...{ large: quick ? { leaves: 15, rounds: [1, 2] } : { leaves: 255, rounds: [2, 22] } },
  });
  for (const { library, version, seconds, roundSeconds } of peers.fits) {
    const round =
      roundSeconds === null ? "" : `; a round of large trees ${shortNumber(roundSeconds)} s`;
    print(`${library} ${version} on cuda, the same rows: ${shortNumber(seconds)} s${round}\n`);
  }
  for (const [library, why] of Object.entries(peers.missing)) {
    print(`left out: ${library} on cuda (${why})\n`);
  }
  report({
    adapter: facts,
    peers,
    // JSON has no Infinity: null, the CPU is as fast at any size.
    crossover_cells: Number.isFinite(crossover) ? crossover : null,
    histogram_gb_per_s: bandwidth.histogram,
    copy_gb_per_s: bandwidth.copy,
    checks,
  });
  if (checks.some(({ equal }) => !equal)) throw new Error("The GPU's answers are not the CPU's.");
}

/** Null where there is an adapter, SwiftShader if nothing else. */
async function whyNone(): Promise<string | null> {
  if ((await missingAdapter()) === null) return null;
  return useSwiftShader() ?? (await missingAdapter());
}

async function missingAdapter(): Promise<string | null> {
  try {
    return (await adapterNames()).length > 0 ? null : "This machine has no GPU adapter.";
  } catch (error) {
    if (!(error instanceof NoDeviceError)) throw error;
    return error.message;
  }
}

async function checkRequests(device: Device, rows: number, repeats: number): Promise<Check[]> {
  const arena = Arena.create();
  const data = kernelData(arena, rows);
  const session: Session = treeProgram.open({
    device,
    bytes: () => arena.memory.buffer,
    resident: () => device.buffer(rows * FEATURES),
  });
  try {
    const answer = new Uint8Array(
      new SharedArrayBuffer(4 * HEAD_WORDS + 8 * data.entries + 4 * rows + 8 * LEAST_ROWS),
    );
    const ask = (request: number, ...values: number[]): Promise<void> =>
      session.answer(request, Uint32Array.from(values), answer);
    await ask(BEGIN_FIT, data.bins, FEATURES, rows, rows, 0, 0, 0);
    const begin = () => session.answer(BEGIN_TREE, data.tree, answer);
    await begin();
    const kernels = kernelsOf(arena);
    const checks: Check[] = [];

    const gpu = await least(repeats, () => ask(NODE_HISTOGRAM, 0, rows));
    const cpu = await least(repeats, () =>
      kernels.buildHistogram(data.block, data.rows, rows, data.histogram),
    );
    checks.push({
      name: "histogram",
      equal: isSame(
        answer.subarray(0, 8 * data.entries),
        arena.u8(data.histogram, 8 * data.entries),
      ),
      cpu_s: cpu,
      gpu_s: gpu,
    });

    const list = arena.allocate(LIST_BYTES);
    // Bins below 96 of feature 5 go left, from the first side to the second.
    const words = [0, rows, rows, 5, 0, 0, 0, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 0, 0, 0];
    arena.u32(list, words.length).set(words);
    const split = await least(repeats, () => ask(SPLIT_NODES, list, 1, LEAST_ROWS, 1));
    arena.u32(list, 2).set([rows, rows]);
    const rowsBack = await least(repeats, () => ask(NODE_ROWS, list, 1));
    const bins = arena.u8(data.bins, rows * FEATURES);
    let expected = new Uint32Array(rows);
    const partition = await least(repeats, () => {
      expected = partitioned(bins, rows);
    });
    const equal = isSame(answer.subarray(0, 4 * rows), new Uint8Array(expected.buffer));
    checks.push({ name: "partition", equal, cpu_s: partition, gpu_s: split });
    const copied = await least(repeats, () => expected.slice());
    checks.push({ name: "rows brought home", equal, cpu_s: copied, gpu_s: rowsBack });
    return checks;
  } finally {
    session.close();
  }
}

/** Bins below 96 of feature 5 go left. */
function partitioned(bins: Uint8Array, rows: number): Uint32Array<ArrayBuffer> {
  const moved = new Uint32Array(rows);
  let left = 0;
  for (let row = 0; row < rows; row++) if (bins[row * FEATURES + 5]! < 96) moved[left++] = row;
  for (let row = 0; row < rows; row++) if (bins[row * FEATURES + 5]! >= 96) moved[left++] = row;
  return moved;
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

async function checkFit(
  desk: GpuDesk,
  family: Family,
  rows: number,
  given: Parameters,
  leastCells = 2 ** 16,
): Promise<Check> {
  const context = contextOf(rows, 28);
  const parameters = { n_estimators: ROUNDS, ...given };
  const fit = (device?: ReturnType<GpuDesk["open"]>) => {
    const begun = performance.now();
    const model = family.fit({ ...context, ...(device ? { device } : {}) }, parameters);
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, bytes: bytesOf(model) };
  };
  const cpu = fit();
  const lane = desk.open(context.data.arena, leastCells);
  if (lane === null) throw new Error(`The GPU is gone: ${desk.gone}`);
  // Neither software nor what is too small is for a GPU, but for what is to be shown of it.
  const gpu = fit({ ...lane, isSoftware: false, isAsked: true });
  const { answered, refused } = await desk.end(lane);
  return {
    name: `fit of ${family.id}`,
    equal: answered > 0 && refused === 0 && isSame(cpu.bytes, gpu.bytes),
    cpu_s: cpu.seconds,
    gpu_s: gpu.seconds,
  };
}
