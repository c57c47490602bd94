import { describe, expect, it } from "vitest";
import { Semaphore } from "./semaphore.ts";

const signal = new AbortController().signal;

describe("a semaphore", () => {
  it("lets in as many as there are places, others in their order", async () => {
    const semaphore = new Semaphore(2);
    const inside: number[] = [];
    const leaves: (() => void)[] = [];
    for (let job = 0; job < 5; job++) {
      void semaphore.acquire(signal).then((leave) => {
        inside.push(job);
        leaves.push(leave);
      });
    }
    await settled();
    expect(inside).toEqual([0, 1]);
    leaves.shift()!();
    await settled();
    expect(inside).toEqual([0, 1, 2]);
    while (leaves.length > 0) {
      leaves.shift()!();
      await settled();
    }
    expect(inside).toEqual([0, 1, 2, 3, 4]);
  });

  it("forgets who stops waiting", async () => {
    const semaphore = new Semaphore(1);
    const leave = await semaphore.acquire(signal);
    const stop = new AbortController();
    const waiting = semaphore.acquire(stop.signal);
    const next = semaphore.acquire(signal);
    stop.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    leave();
    await expect(next).resolves.toBeTypeOf("function");
  });
});

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
