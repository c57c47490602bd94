import { randomBytes } from "node:crypto";
import { setTimeout as later } from "node:timers/promises";
import { crc32 } from "node:zlib";
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

test("a graph is read when its turn comes, in pieces, and not all at once before", async () => {
  const onnx = new Uint8Array(2 ** 20 + 1);
  const body = archive(onnx);
  onnx.fill(7);
  const bytes = Buffer.concat(await body.toArray());
  // In the central directory, behind its mark, the version twice, flags, method and time.
  const entry = bytes.lastIndexOf("PK\x01\x02", undefined, "latin1");
  expect(bytes.readUInt32LE(entry + 16)).toBe(crc32(onnx));
  expect(bytes.readUInt32LE(entry + 24)).toBe(onnx.length);
});

test("a file that is not there breaks the archive off, and says so", async () => {
  const body = archive(new Uint8Array(0), ["model.json"]);
  await expect(body.toArray()).rejects.toThrow("ENOENT");
});
