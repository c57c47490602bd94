import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ObjectStore } from "../../platform/objects/object-store.ts";
import { LocalModels } from "./local-models.ts";

let folder: string;
let now: number;
let read: string[];
let forgotten: string[];
let models: LocalModels;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "local-models-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  await rm(join(folder, "models"), { recursive: true, force: true });
  now = 0;
  read = [];
  forgotten = [];
  const objects: Pick<ObjectStore, "get"> = {
    get(key) {
      read.push(key);
      return Readable.from([Buffer.alloc(10)]);
    },
  };
  models = new LocalModels(objects as ObjectStore, {
    folder,
    mostBytes: 35,
    onForgotten: (path) => forgotten.push(path),
    now: () => now,
  });
});

const files = [{ path: "model.json", bytes: 10, sha256: "" }];
const folderOf = (id: string): Promise<string> => models.folder("org", id, files);

test("a model is copied once, whoever asks at a time, and anew when it was forgotten", async () => {
  const [a, b] = await Promise.all([folderOf("m"), folderOf("m")]);
  expect(a).toBe(b);
  expect(await readdir(a)).toEqual(["model.json"]);
  expect(read).toHaveLength(1);
  now = 60_000;
  await models.forget("m");
  expect(existsSync(a)).toBe(false);
  expect(forgotten).toEqual([a]);
  expect(await folderOf("m")).toBe(a);
  expect(read).toHaveLength(2);
});

test("what is gone stays a minute for those that asked before, and not where it is copied anew", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const [gone, again] = [await folderOf("gone"), await folderOf("again")];
    now = 20_000;
    for (const model of ["gone", "again"]) await models.forget(model);
    await folderOf("again");
    vi.advanceTimersByTime(39_999);
    expect([existsSync(gone), forgotten]).toEqual([true, []]);
    vi.advanceTimersByTime(1);
    expect(forgotten).toEqual([gone]);
    vi.useRealTimers();
    await expect.poll(() => existsSync(gone)).toBe(false);
    expect(existsSync(again)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("copies that were used longest ago go where they take too much, but none in use", async () => {
  const kept = await models.folder("org", "0", files, true);
  const [first, second] = [await folderOf("1"), await folderOf("2")];
  now = 40_000;
  await folderOf("1");
  now = 70_000;
  const third = await folderOf("3");
  await expect.poll(() => existsSync(second)).toBe(false);
  expect([kept, first, third].map(existsSync)).toEqual([true, true, true]);
  now = 71_000;
  // All that are there were used within the last minute.
  await folderOf("4");
  expect([first, third].map(existsSync)).toEqual([true, true]);
});
