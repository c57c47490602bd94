import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkPacked, unpacked } from "./packed-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ["gz", gzipSync],
  ["zst", zstdCompressSync],
] as const)("refuses what unpacks to more than it may: %s", async (suffix, pack) => {
  const path = join(folder, `zeros.${suffix}`);
  await writeFile(path, pack(Buffer.alloc(1_000_000)));
  const read = async (limits: { ratio: number; freeBytes: number }) => {
    let bytes = 0;
    for await (const piece of unpacked(path, limits)) bytes += piece.length;
    return bytes;
  };
  await expect(read({ ratio: 10, freeBytes: 1000 })).rejects.toThrow(/over 10 times its own \d+/);
  expect(await read({ ratio: 10, freeBytes: 1_000_000 })).toBe(1_000_000);
  expect(await read({ ratio: 1_000_000, freeBytes: 0 })).toBe(1_000_000);
});

it("tells the length of the last line that is not empty", async () => {
  const path = join(folder, "lines.gz");
  const line = fc.string({ unit: fc.constantFrom("a", "\n", "\r"), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      await writeFile(path, gzipSync(text));
      const last = text.split(/[\r\n]+/).findLast((each) => each !== "") ?? "";
      expect(await checkPacked(path, true)).toBe(last.length);
    }),
    { numRuns: 50 },
  );
  await writeFile(path, gzipSync(`a\n${"x".repeat(600_000)}\r\n\n`));
  expect(await checkPacked(path, true)).toBe(600_000);
});
