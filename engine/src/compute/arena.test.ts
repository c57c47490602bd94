import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Arena, ArenaFullError } from "./arena.ts";

interface Block {
  readonly pointer: number;
  readonly bytes: number;
}

function expectDisjoint(blocks: readonly Block[]): void {
  const sorted = [...blocks].sort((a, b) => a.pointer - b.pointer);
  sorted.forEach(({ pointer, bytes }, i) => {
    expect(pointer % 16).toBe(0);
    expect(pointer).toBeGreaterThanOrEqual(1024);
    if (i > 0) expect(sorted[i - 1].pointer + sorted[i - 1].bytes).toBeLessThanOrEqual(pointer);
    else expect(bytes).toBeGreaterThanOrEqual(0);
  });
}

const rounded = (bytes: number) => Math.max(16, Math.ceil(bytes / 16) * 16);

describe("one thread", () => {
  test("blocks are aligned, within the memory, never overlap and are accounted for", () => {
    const command = fc.oneof(
      { weight: 3, arbitrary: fc.record({ bytes: fc.oneof(fc.nat(200), fc.nat(300_000)) }) },
      { weight: 2, arbitrary: fc.record({ free: fc.nat() }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        const arena = Arena.create();
        const live: Block[] = [];
        for (const each of commands) {
          if ("bytes" in each) {
            const pointer = arena.allocate(each.bytes);
            expect(pointer + each.bytes).toBeLessThanOrEqual(arena.memory.buffer.byteLength);
            live.push({ pointer, bytes: each.bytes });
          } else if (live.length > 0) {
            const [freed] = live.splice(each.free % live.length, 1);
            arena.free(freed.pointer, freed.bytes);
          }
          expectDisjoint(live);
          expect(arena.liveBytes).toBe(live.reduce((sum, { bytes }) => sum + rounded(bytes), 0));
        }
        // With everything freed, in whatever order, the memory is as if new.
        const first = Arena.create().allocate(16);
        for (const { pointer, bytes } of live) arena.free(pointer, bytes);
        expect(arena.liveBytes).toBe(0);
        expect(arena.allocate(16)).toBe(first);
        arena.free(first, 16);
        expect(arena.allocate(1_000_000)).toBe(first);
      }),
    );
  });

  test("a block keeps what is written to it while others come and go", () => {
    const arena = Arena.create();
    const kept = arena.allocate(4000);
    arena.f64(kept, 500).fill(1.5);
    for (let i = 0; i < 100; i++) {
      const other = arena.allocate(100_000);
      arena.u8(other, 100_000).fill(255);
      arena.free(other, 100_000);
    }
    expect(arena.f64(kept, 500).every((value) => value === 1.5)).toBe(true);
  });

  test("freed memory is used again instead of growing", () => {
    const arena = Arena.create();
    const sizes = [50_000, 300, 4096, 120_000];
    const round = () => {
      const blocks = sizes.map((bytes) => ({ bytes, pointer: arena.allocate(bytes) }));
      for (const { pointer, bytes } of blocks) arena.free(pointer, bytes);
    };
    round();
    const size = arena.memory.buffer.byteLength;
    for (let i = 0; i < 2000; i++) round();
    expect(arena.memory.buffer.byteLength).toBe(size);
  });

  test("the best fitting gap is taken", () => {
    const arena = Arena.create();
    const [large, , small] = [640, 16, 64, 16].map((bytes) => arena.allocate(bytes));
    arena.free(large, 640);
    arena.free(small, 64);
    expect(arena.allocate(64)).toBe(small);
    expect(arena.allocate(600)).toBe(large);
  });

  test("a checkpoint comes back after any allocations, even of a thread that died in the lock", () => {
    const command = fc.oneof(fc.record({ bytes: fc.nat(5000) }), fc.record({ free: fc.nat() }));
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const arena = Arena.create();
        const kept = [100, 3000, 20].map((bytes) => ({ pointer: arena.allocate(bytes), bytes }));
        const [gap] = kept.splice(1, 1);
        arena.free(gap.pointer, gap.bytes);
        const live = arena.liveBytes;
        const checkpoint = arena.checkpoint();
        const lost: Block[] = [];
        for (const each of commands) {
          if ("bytes" in each) {
            lost.push({ pointer: arena.allocate(each.bytes), bytes: each.bytes });
          } else if (lost.length > 0) {
            const [block] = lost.splice(each.free % lost.length, 1);
            arena.free(block.pointer, block.bytes);
          }
        }
        // The first word behind the kernels' own bytes is the lock.
        new Int32Array(arena.memory.buffer)[1024 / 4] = 1;
        arena.restore(checkpoint);
        expect(arena.liveBytes).toBe(live);
        // The gap is there again, and blocks that were kept are still taken.
        expect(arena.allocate(gap.bytes)).toBe(gap.pointer);
        const next = { pointer: arena.allocate(5000), bytes: 5000 };
        expectDisjoint([...kept, gap, next]);
      }),
    );
  });

  test("views of all types look at the same bytes", () => {
    const arena = Arena.create();
    const pointer = arena.allocate(16);
    arena.i64(pointer, 2).set([-1n, 0x3ff0000000000000n]);
    expect(arena.f64(pointer, 2)[1]).toBe(1);
    expect(arena.u32(pointer, 4)[0]).toBe(0xffffffff);
    expect(arena.i32(pointer, 4)[1]).toBe(-1);
    expect(arena.u8(pointer, 16)[7]).toBe(255);
    expect(arena.f32(pointer, 4)[3]).toBe(1.875);
  });

  test("an arena that is full says so, and goes on as before", () => {
    const arena = Arena.create(32 * 65536);
    const pointer = arena.allocate(1000);
    expect(() => arena.allocate(2 ** 24)).toThrow(ArenaFullError);
    expect(() => arena.allocate(2 ** 24)).toThrow(/MiB of kernel memory/);
    expect(arena.liveBytes).toBe(rounded(1000));
    arena.free(pointer, 1000);
    expect(arena.allocate(1000)).toBe(pointer);
  });
});

describe("several threads", () => {
  const code = `
    const { parentPort, workerData } = require("node:worker_threads");
    (async () => {
      const { Arena } = await import(workerData.module);
      const arena = Arena.attach(workerData.handle);
      let state = workerData.id * 2654435761 >>> 0;
      const next = (bound) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * bound);
      };
      const live = [];
      let faults = 0;
      const release = (index) => {
        const [{ pointer, bytes, mark }] = live.splice(index, 1);
        // Another thread that was given the same bytes would have left its own mark in them.
        if (!arena.u8(pointer, bytes).every((byte) => byte === mark)) faults++;
        arena.free(pointer, bytes);
      };
      for (let i = 0; i < workerData.rounds; i++) {
        if (live.length > 20 || (live.length > 0 && next(3) === 0)) release(next(live.length));
        else {
          const bytes = 1 + next(next(10) === 0 ? 200000 : 2000);
          const pointer = arena.allocate(bytes);
          const mark = (workerData.id * 64 + i % 64) & 255;
          arena.u8(pointer, bytes).fill(mark);
          live.push({ pointer, bytes, mark });
        }
      }
      const kept = live.splice(0, 3);
      while (live.length > 0) release(0);
      parentPort.postMessage({ faults, kept });
    })();
  `;

  test("never get the same bytes, and lose none", async () => {
    const arena = Arena.create();
    const first = Arena.create().allocate(16);
    const results = await Promise.all(
      [0, 1, 2, 3].map(
        (id) =>
          new Promise<{ faults: number; kept: (Block & { mark: number })[] }>((resolve, reject) => {
            const worker = new Worker(code, {
              eval: true,
              workerData: {
                module: new URL("./arena.ts", import.meta.url).href,
                handle: arena.handle(),
                id,
                rounds: 4000,
              },
            });
            worker.once("message", resolve);
            worker.once("error", reject);
          }),
      ),
    );
    expect(results.map(({ faults }) => faults)).toEqual([0, 0, 0, 0]);
    const kept = results.flatMap((result) => result.kept);
    expectDisjoint(kept);
    expect(arena.liveBytes).toBe(kept.reduce((sum, { bytes }) => sum + rounded(bytes), 0));
    // What the workers wrote is seen here, though they grew the memory.
    for (const { pointer, bytes, mark } of kept) {
      expect(arena.u8(pointer, bytes).every((byte) => byte === mark)).toBe(true);
      arena.free(pointer, bytes);
    }
    expect(arena.liveBytes).toBe(0);
    expect(arena.allocate(16)).toBe(first);
  });
});
