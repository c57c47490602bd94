import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { readBody } from "./body.ts";
import { SharedMemory } from "./shared-memory.ts";

const LIMIT = 400_000;
const memory = new SharedMemory();

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
        const isLarge = whole.length > 128 * 1024;
        await memory.lend(async (take) => {
          const body = await readBody({ headers, stream }, LIMIT, isShared ? take : undefined);
          expect(body.equals(whole)).toBe(true);
          expect(body.buffer instanceof SharedArrayBuffer).toBe(isLarge && isShared);
          if (!isLarge || (announced === "length" && !isShared))
            expect(body.buffer.byteLength).toBe(body.byteLength);
        });
        // One request at a time: each size is made once.
        expect(memory.idleBytes).toBeLessThanOrEqual(2 ** 18 + 2 ** 19);
      },
    ),
    { numRuns: 60 },
  );
});

test("memory of chunks is given back at once, but where others read them too", async () => {
  const sizes = [60_000, 90_000, 80_000, 70_000, 50_000];
  for (const isTapped of [false, true]) {
    const chunks = sizes.map((size, at) => Buffer.alloc(size, at + 1));
    const whole = Buffer.concat(chunks);
    const stream = isTapped ? new PassThrough() : new IncomingMessage(new Socket());
    for (const chunk of chunks) stream.push(chunk);
    stream.push(null);
    const body = await readBody({ headers: {}, stream }, LIMIT);
    expect(body.equals(whole)).toBe(true);
    const isGone = chunks.map(({ buffer }) => buffer.byteLength === 0);
    // The first ones are held until the body is known to be large.
    expect(isGone).toEqual(isTapped ? sizes.map(() => false) : [false, true, true, true, false]);
  }
});

test("a body beyond the limit is refused, whatever its headers say", async () => {
  const stream = () => Readable.from([Buffer.alloc(LIMIT), Buffer.alloc(1)], { objectMode: false });
  for (const headers of [{}, { "content-length": String(LIMIT + 1) }])
    await expect(readBody({ headers, stream: stream() }, LIMIT)).rejects.toMatchObject({
      kind: "payload-too-large",
    });
});

test("shared memory is used again, by one request at a time", async () => {
  const lent = new SharedMemory();
  await expect(
    lent.lend(async (take) => {
      take(1000);
      throw new Error("it failed");
    }),
  ).rejects.toThrow("it failed");
  expect(lent.idleBytes).toBe(1024);
  await lent.lend(async (take) => {
    const first = take(1024);
    const second = take(700);
    expect(first.buffer).not.toBe(second.buffer);
    expect([first.length, second.length, lent.idleBytes]).toEqual([1024, 700, 0]);
  });
  expect(lent.idleBytes).toBe(2048);
  await lent.lend(async (take) => expect(take(2 ** 30).length).toBe(2 ** 30));
  expect(lent.idleBytes).toBe(2048);
});

test("a body that comes slowly, but comes, has more time than one that hardly does", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  try {
    for (const bytesPerSecond of [4 * 1024, 20 * 1024]) {
      const stream = new PassThrough();
      const body = readBody({ headers: {}, stream }, 2 ** 23).then(
        ({ length }) => length,
        ({ kind }: { kind: string }) => kind,
      );
      for (let second = 0; second < 300; second++) {
        stream.push(Buffer.alloc(bytesPerSecond));
        await vi.advanceTimersByTimeAsync(1000);
      }
      stream.end();
      expect(await body).toBe(bytesPerSecond < 16_384 ? "request-timeout" : 300 * bytesPerSecond);
    }
  } finally {
    vi.useRealTimers();
  }
});
