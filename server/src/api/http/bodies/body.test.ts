import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readBody } from "./body.ts";

const LIMIT = 400_000;

test("a body has its bytes, in memory of its own or in memory that threads share", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom("none", "length", "gzip"),
      async (sizes, isShared, announced) => {
        const chunks = sizes.map((size, at) => Buffer.alloc(size, at + 1));
        const whole = Buffer.concat(chunks);
        const isGzip = announced === "gzip";
        const headers = {
          ...(announced === "length" && { "content-length": String(whole.length) }),
          ...(isGzip && { "content-encoding": "gzip" }),
        };
        const stream = Readable.from(isGzip ? [gzipSync(whole)] : chunks, { objectMode: false });
        const body = await readBody({ headers, stream }, LIMIT, isShared);
        expect(body.equals(whole)).toBe(true);
        const isLarge = whole.length > 128 * 1024;
        expect(body.buffer instanceof SharedArrayBuffer).toBe(isLarge && isShared);
        if (!isLarge || announced === "length")
          expect(body.buffer.byteLength).toBe(body.byteLength);
      },
    ),
    { numRuns: 60 },
  );
});

test("a body beyond the limit is refused, whatever its headers say", async () => {
  const stream = () => Readable.from([Buffer.alloc(LIMIT), Buffer.alloc(1)], { objectMode: false });
  for (const headers of [{}, { "content-length": String(LIMIT + 1) }])
    await expect(readBody({ headers, stream: stream() }, LIMIT)).rejects.toMatchObject({
      kind: "payload-too-large",
    });
});
