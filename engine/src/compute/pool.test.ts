import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { ComputePool, TaskFailedError, type TaskTime } from "./pool.ts";

const pool = new ComputePool(new URL("./testing/pool-tasks.ts", import.meta.url), 2);
afterAll(() => pool.close());

describe("ComputePool", () => {
  it("gives back what the task gave, and what it threw by its message", async () => {
    expect(await pool.run("echo", 7)).toBe(7);
    const failing = pool.run("fail", "out of range");
    await expect(failing).rejects.toThrow(TaskFailedError);
    await expect(failing).rejects.toThrow("out of range");
  });

  it("gives back the code of what a system refused a task, and no more of its members", async () => {
    const failing = pool.run("open", "/nowhere/at/all");
    await expect(failing).rejects.toThrow(TaskFailedError);
    await expect(failing).rejects.toMatchObject({ code: "ENOENT" });
    await expect(failing).rejects.not.toHaveProperty("path");
  });

  it("tells what a thread took to start, and what its longer tasks took", async () => {
    const own = new ComputePool(new URL("./testing/pool-tasks.ts", import.meta.url), 1);
    try {
      expect(own.startSeconds).toBeNull();
      await own.run("echo", 1);
      const { startSeconds } = own;
      expect(startSeconds).toBeGreaterThan(0);
      const times: TaskTime[] = [];
      const onTime = (took: TaskTime) => times.push(took);
      await own.run("echo", 2, { onTime });
      await own.run("work", 150, { onTime });
      // That of the thread which runs is known already.
      expect(own.startSeconds).toBe(startSeconds);
      if (!("threadCpuUsage" in process)) return;
      expect(times).toHaveLength(1);
      expect(times[0].wall).toBeGreaterThanOrEqual(0.15);
      expect(times[0].processor).toBeGreaterThan(0);
      expect(times[0].processor).toBeLessThan(times[0].wall + 0.05);
    } finally {
      await own.close();
    }
  });

  it("stops the threads of what it aborts, and then works on", async () => {
    const stop = new AbortController();
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const counting = pool.run("countForever", counter, { signal: stop.signal });
    const ended = expect(counting).rejects.toThrow(/abort/i);
    while (Atomics.load(counter, 0) === 0) await sleep(5);
    await pool.abort(stop);
    await ended;
    const count = Atomics.load(counter, 0);
    // A thread takes longer to start than one that runs on would need to count.
    expect(await pool.run("echo", 2)).toBe(2);
    expect(Atomics.load(counter, 0)).toBe(count);
  });

  it("goes on with what waits when all its threads are ended", async () => {
    const stop = new AbortController();
    const counters = [0, 1].map(() => new Int32Array(new SharedArrayBuffer(4)));
    const counting = counters.map((counter) =>
      pool.run("countForever", counter, { signal: stop.signal }),
    );
    const ended = Promise.all(counting.map((each) => expect(each).rejects.toThrow(/abort/i)));
    while (counters.some((counter) => Atomics.load(counter, 0) === 0)) await sleep(5);
    const { signal } = new AbortController();
    const waiting = [pool.run("echo", 1), pool.run("echo", 2, { signal }), pool.run("echo", 3)];
    stop.abort();
    await ended;
    // Nothing else is asked of the pool, which would start a thread.
    expect(await Promise.all(waiting)).toEqual([1, 2, 3]);
  });

  it("takes bytes that are given away, and hands bytes over, whatever their size", async () => {
    for (const length of [0, 10, 1 << 20]) {
      const given = new Uint8Array(length).fill(2);
      expect(await pool.run("sum", given, { given: [given] })).toBe(2 * length);
      // Copied where they are few, gone where they are many.
      expect(given.length).toBe(length === 1 << 20 ? 0 : length);
      expect(await pool.run("bytes", length)).toEqual(new Uint8Array(length).fill(7));
    }
  });

  it("copies bytes that share their memory with others", async () => {
    const memory = new Uint8Array(1 << 20).fill(2);
    const given = memory.subarray(1);
    expect(await pool.run("sum", given, { given: [given] })).toBe(2 * given.length);
    expect(memory.length).toBe(1 << 20);
  });

  it.runIf(process.platform === "linux")("gives way to other threads as it is told", async () => {
    const module = new URL("./testing/pool-tasks.ts", import.meta.url);
    const nice = new ComputePool(module, 1, () => undefined, { niceness: 7 });
    const own = await pool.run<null, number>("niceness", null);
    // 19 is the most that there is.
    expect(await nice.run("niceness", null)).toBe(Math.min(19, own + 7));
    await nice.close();
  });

  it("outlives results that arrive after their tasks were cancelled", async () => {
    for (let round = 0; round < 30; round++) {
      const cancel = new AbortController();
      const tasks = Array.from({ length: 4 }, (_, i) =>
        pool.run("echo", i, { signal: cancel.signal }),
      );
      await sleep(round % 3);
      cancel.abort();
      await Promise.allSettled(tasks);
    }
    expect(await pool.run("echo", 1)).toBe(1);
  });
});
