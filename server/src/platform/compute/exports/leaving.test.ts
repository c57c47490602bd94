/** Exports are made by one thread: whoever leaves makes room for the others. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FileObjectStore } from "../../objects/file-store.ts";
import { ObjectUrlSigner } from "../../objects/signed-url.ts";
import { Compute } from "../compute.ts";

let folder: string;
let compute: Compute;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-exports-"));
  compute = await Compute.open({
    objects: await FileObjectStore.open(join(folder, "o"), new ObjectUrlSigner(Buffer.alloc(32))),
    cacheFolder: join(folder, "cache"),
    queryFolder: join(folder, "sql"),
    trainingThreads: 0,
    devices: { device: "wasm" },
    servingThreads: 1,
    modelBytes: 2 ** 20,
    maxColumns: 10,
    readMemoryBytes: 2 ** 28,
  });
});
afterAll(async () => {
  await compute.close();
  await rm(folder, { recursive: true, force: true });
});

it("work in that thread ends with the request that it is for", async () => {
  const gone = AbortSignal.abort();
  for (const form of ["onnx", "lightgbm"] as const) {
    const work = compute.exportModel({ folder, form }, gone);
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
  }
  // One whom it still serves is told what there is: no model.
  const there = new AbortController();
  await expect(compute.exportModel({ folder, form: "onnx" }, there.signal)).rejects.toMatchObject({
    code: "ENOENT",
  });
});
