/** Tables that a GPU takes part in scoring: their files are those of the CPU. On SwiftShader. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PoolOptions, train } from "@distillery/engine";
import { storeTable } from "@distillery/engine/reading";
import { afterAll, beforeAll, expect, it } from "vitest";
import { whyNoDevice } from "../../../../../engine/src/compute/gpu/testing/swiftshader.ts";
import { Scoring } from "./scoring.ts";
import type { ScoringRequest } from "./scoring-request.ts";

const why = whyNoDevice();
let home: string;
let request: ScoringRequest;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "scoring-device-"));
  const lines = Array.from({ length: 400 }, (_, row) => {
    const [x, shop] = [(row * 37) % 100, ["north", "south", "east"][row % 3]];
    return `${x},${shop},${x > 60 ? "a" : row % 3 === 0 ? "b" : "c"}`;
  });
  const file = { path: join(home, "shops.csv"), format: "csv" } as const;
  await writeFile(file.path, ["x,shop,class", ...lines].join("\n"));
  const fixed = { n_estimators: 5 };
  await train(
    file,
    {
      task: { taskKind: "multiclass", labelColumn: "class" },
      modelFamilies: ["random_forest", "gbdt"],
      hpoSpace: { models: ["random_forest", "gbdt"].map((family) => ({ family, fixed })) },
      nTrials: 2,
      nCvSplits: 2,
      device: "wasm",
    },
    { folder: join(home, "run"), threads: 1 },
  );
  const table = join(home, "shops.arrow");
  await storeTable({ file, target: table });
  request = {
    ...{ model: join(home, "run", "model"), table, columns: ["x"], format: "csv", onError: "fail" },
    ...{ intervals: false, contributions: false, prefix: "" },
  };
});

afterAll(() => rm(home, { recursive: true, force: true }));

async function scored(
  options: PoolOptions,
  contributions = false,
): Promise<{ device: string | null; bytes: string }> {
  const scoring = new Scoring(1, options);
  const { signal } = new AbortController();
  try {
    const { cells, parts } = await scoring.plan(request, signal);
    let bytes = "";
    const device = await scoring.score({
      ...{
        request: { ...request, contributions },
        cells,
        parts: Array.from({ length: parts }, (_, part) => part),
        signal,
      },
      withPath: (use) => use(join(home, "part")),
      take: async (_part, _scored, path) => {
        bytes += await readFile(path, "utf8");
      },
    });
    return { device, bytes };
  } finally {
    await scoring.close();
  }
}

it.skipIf(why !== null)(`has the CPU's file (${why ?? "SwiftShader"})`, async () => {
  const alone = await scored({ devices: { device: "wasm" } });
  const devices = { device: "webgpu", folder: home, leastCells: 1 } as const;
  const byDevice = await scored({ devices });
  expect(byDevice.bytes).toBe(alone.bytes);
  expect(alone.bytes.split("\n").length).toBeGreaterThan(400);
  expect(alone.device).toBeNull();
  // Of two members: their trees, their rows and their sums.
  expect(byDevice.device).toMatch(/ (3|6) requests of 1 loans .*device: webgpu$/);
});

it.skipIf(why !== null)("has the CPU's contributions", async () => {
  const alone = await scored({ devices: { device: "wasm" } }, true);
  const devices = { device: "webgpu", folder: home, leastCells: 1 } as const;
  const byDevice = await scored({ devices }, true);
  expect(byDevice.bytes).toBe(alone.bytes);
  // A base and two contributions for each of three classes, beside what every table has.
  expect(alone.bytes.split("\n", 1)[0]?.split(",").length).toBe(5 + 3 * 3);
  // Beside the sums: the rows, each tree, and the contributions, for one of the members at least.
  expect(Number(/ (\d+) requests of 1 loans/.exec(byDevice.device ?? "")?.[1])).toBeGreaterThan(10);
});
