import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { RunEvent } from "./events.ts";
import { FolderRunStore, MemoryRunStore, type RunStore } from "./store.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "run-store-"));
  folders.push(folder);
  return folder;
}

const failed = (trial: number): RunEvent => ({
  type: "trial_failed",
  trial,
  reason: "why\nnot",
  at: "2026-01-01T00:00:00.000Z",
});

const stores: [string, () => Promise<RunStore>][] = [
  ["MemoryRunStore", async () => new MemoryRunStore()],
  ["FolderRunStore", async () => new FolderRunStore(await newFolder())],
];

describe.each(stores)("%s", (_, open) => {
  it("keeps events in their order", async () => {
    const store = await open();
    expect(await store.readEvents()).toEqual([]);
    await store.appendEvent(failed(1));
    await store.appendEvent(failed(2));
    expect(await store.readEvents()).toEqual([failed(1), failed(2)]);
  });

  it("keeps, replaces and deletes artifacts", async () => {
    const store = await open();
    await store.putArtifact("fits/a", Uint8Array.of(1));
    await store.putArtifact("fits/a", Uint8Array.of(2, 3));
    await store.putArtifact("model/a", Uint8Array.of(4));
    expect([...(await store.getArtifact("fits/a"))]).toEqual([2, 3]);
    await store.deleteArtifacts("fits/");
    await expect(store.getArtifact("fits/a")).rejects.toThrow();
    expect(await store.findArtifact("fits/a")).toBeNull();
    expect([...((await store.findArtifact("model/a")) ?? [])]).toEqual([4]);
    expect([...(await store.getArtifact("model/a"))]).toEqual([4]);
    await store.deleteArtifacts("fits/");
  });
});

describe("FolderRunStore", () => {
  it("drops an event that was being written when the process was killed", async () => {
    const folder = await newFolder();
    const store = new FolderRunStore(folder);
    await store.appendEvent(failed(1));
    await appendFile(join(folder, "events.jsonl"), '{"type":"trial_fai');
    const again = new FolderRunStore(folder);
    expect(await again.readEvents()).toEqual([failed(1)]);
    await again.appendEvent(failed(2));
    expect(await again.readEvents()).toEqual([failed(1), failed(2)]);
  });
});
