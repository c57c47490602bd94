import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
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

test("what is gone stays a minute for those that asked before, who may have asked later than it was", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const after = (ms: number): void => {
    now += ms;
    vi.advanceTimersByTime(ms);
  };
  try {
    const [gone, asked] = [await folderOf("gone"), await folderOf("asked")];
    after(20_000);
    for (const model of ["gone", "asked"]) await models.forget(model);
    expect(await folderOf("asked")).toBe(asked);
    expect(read).toHaveLength(2);
    after(39_999);
    expect([existsSync(gone), forgotten]).toEqual([true, []]);
    after(1);
    expect(forgotten).toEqual([gone]);
    after(19_999);
    expect(forgotten).toEqual([gone]);
    after(1);
    expect(forgotten).toEqual([gone, asked]);
    vi.useRealTimers();
    await expect.poll(() => [gone, asked].map(existsSync)).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});

test("what is gone while it is copied stays as long for those that wait for it", async () => {
  const copied = folderOf("m");
  await models.forget("m");
  const ready = await copied;
  await delay(20);
  expect(await readdir(ready)).toEqual(["model.json"]);
  now = 60_000;
  await models.forget("m");
  expect(existsSync(ready)).toBe(false);
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
