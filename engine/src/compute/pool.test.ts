import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { ComputePool, TaskFailedError } from "./pool.ts";

const pool = new ComputePool(new URL("./pool-test-tasks.ts", import.meta.url), 2);
afterAll(() => pool.close());

describe("ComputePool", () => {
  it("gives back what the task gave, and what it threw by its message", async () => {
    expect(await pool.run("echo", 7)).toBe(7);
    const failing = pool.run("fail", "out of range");
    await expect(failing).rejects.toThrow(TaskFailedError);
    await expect(failing).rejects.toThrow("out of range");
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
