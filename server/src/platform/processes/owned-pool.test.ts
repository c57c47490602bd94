import { expect, it } from "vitest";
import { OwnedPool, type OwnedProcess } from "./owned-pool.ts";

const LIMITS = { processes: 2, tasksOfProcess: 10, keptBytes: 1, idleMs: 1000 };
const noProcess = (): OwnedProcess => {
  throw new Error("none is asked for");
};

it("serves in turn by owner, those first for whom the fewest work, and passes over who has left", async () => {
  const pool = new OwnedPool(LIMITS, noProcess);
  const begun: string[] = [];
  const ending = new Map<string, () => void>();
  const all: Promise<unknown>[] = [];
  const ask = (name: string, signal = new AbortController().signal): void => {
    const work = (): Promise<void> => {
      begun.push(name);
      return new Promise((resolve) => ending.set(name, resolve));
    };
    all.push(pool.inTurn(name[0]!, signal, work).catch((error: unknown) => error));
  };
  const end = async (name: string): Promise<void> => {
    await expect.poll(() => ending.has(name)).toBe(true);
    ending.get(name)?.();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const leaving = new AbortController();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) ask(name);
  ask("b1");
  ask("c1", leaving.signal);
  ask("b2");
  await end("a1");
  leaving.abort(new Error("left"));
  await end("a2");
  await end("b1");
  await end("a3");
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
  for (const name of ["b2", "a4", "a5"]) await end(name);
  expect(await Promise.all(all)).toContainEqual(new Error("left"));
  expect(begun.at(-1)).toBe("a5");
});
