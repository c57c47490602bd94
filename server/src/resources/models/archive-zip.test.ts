import { randomBytes } from "node:crypto";
import { setTimeout as later } from "node:timers/promises";
import { expect, test } from "vitest";
import { archiveZip } from "./archive-zip.ts";

const LAST_RECORD = Buffer.from("PK\x05\x06");

const archive = (onnx: Uint8Array, files: readonly string[] = []) =>
  archiveZip("/nowhere", {
    ...{ readme: "", card: "{}", page: "", onnx, predictor: [], files },
  });

test("a reader that is slower than the archive gets it to its end", async () => {
  const onnx = randomBytes(2 ** 20);
  const read: Buffer[] = [];
  for await (const chunk of archive(onnx)) {
    read.push(chunk);
    await later(1);
  }
  const bytes = Buffer.concat(read);
  expect(bytes.length).toBeGreaterThan(onnx.length);
  expect(bytes.subarray(-22, -18)).toEqual(LAST_RECORD);
});

test("a file that is not there breaks the archive off, and says so", async () => {
  const body = archive(new Uint8Array(0), ["model.json"]);
  await expect(body.toArray()).rejects.toThrow("ENOENT");
});
