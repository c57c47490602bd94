/** Files that Zstandard packed are read as gzip's are: all frames, whatever chunks they come in. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { READ_LIMITS } from "./read-limits.ts";
import { readTable, readTableFromFile } from "./read-table.ts";
import { unzstd } from "./zstd.ts";

const SKIPPED = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it("gives back what was packed in any number of frames, with others between them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.constant(null)), { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
      async (parts, sizes) => {
        const packed = Buffer.concat(
          parts.map((part) => (part === null ? SKIPPED : zstdCompressSync(part))),
        );
        const plain = Buffer.concat(parts.flatMap((part) => part ?? []));
        expect((await whole(unzstd(inChunks(packed, sizes)))).equals(plain)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

it("refuses what is cut short anywhere, and what stands behind the last frame", async () => {
  const packed = Buffer.concat([zstdCompressSync("a,b\n1,2\n"), zstdCompressSync("3,4\n")]);
  const first = zstdCompressSync("a,b\n1,2\n").length;
  for (let end = 1; end < packed.length; end++) {
    if (end === first) continue;
    await expect(whole(unzstd(inChunks(packed.subarray(0, end), [7])))).rejects.toThrow(
      "The zstd data is damaged or cut short.",
    );
  }
  const more = Buffer.concat([packed, Buffer.from("and more")]);
  await expect(whole(unzstd(inChunks(more, [1000])))).rejects.toThrow("behind its end");
});

it("reads every format of files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "zstd-"));
  try {
    for (const [format, text] of [
      ["csv", "a,b\n1,x\n2,y\n"],
      ["ndjson", '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'],
    ] as const) {
      const path = join(folder, format);
      await writeFile(path, zstdCompressSync(text));
      const { table } = await readTableFromFile(path, { format });
      expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual([
        ["a", "numeric"],
        ["b", "categorical"],
      ]);
      expect(table.rows).toBe(2);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("is held to what a file may unpack to", async () => {
  const packed = zstdCompressSync(`a,b\n${"1,1\n".repeat(100_000)}`);
  const limits = { ...READ_LIMITS, unpackedFreeBytes: 1000 };
  await expect(readTable([packed], { format: "csv", limits })).rejects.toMatchObject({
    limit: "unpackedRatio",
  });
});

it("is looked through before anything is read of a small file that stands for far more", async () => {
  const folder = await mkdtemp(join(tmpdir(), "zstd-"));
  try {
    const path = join(folder, "rows.ndjson.zst");
    await writeFile(path, zstdCompressSync('{"a":1}\n'.repeat(100_000)));
    const limits = { ...READ_LIMITS, unpackedFreeBytes: 700_000 };
    let rows = 0;
    const onProgress = (progress: { readonly rows: number }): void => {
      rows = progress.rows;
    };
    const reading = readTableFromFile(path, { format: "ndjson", limits, onProgress });
    await expect(reading).rejects.toMatchObject({ limit: "unpackedRatio" });
    expect(rows).toBe(0);
    await readTableFromFile(path, { format: "ndjson", onProgress });
    expect(rows).toBe(100_000);
  } finally {
    await rm(folder, { recursive: true });
  }
});
