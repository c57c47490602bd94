import { setImmediate as moment } from "node:timers/promises";
import { expect, it } from "vitest";
import { Turns } from "./turns.ts";

/** Work that ends when it is told to. */
function begin(turns: Turns, signal?: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const work = { begun: false, end: resolve, fail: reject, done: Promise.resolve() };
  work.done = turns.take(() => {
    work.begun = true;
    return promise;
  }, signal);
  return work;
}

it("gives its places in order, also where work fails", async () => {
  const turns = new Turns(2);
  const works = Array.from({ length: 4 }, () => begin(turns));
  const begun = () => works.map((work) => work.begun);
  expect(begun()).toEqual([true, true, false, false]);
  const failed = expect(works[1].done).rejects.toThrow("full");
  works[1].fail(new Error("full"));
  await failed;
  await moment();
  expect(begun()).toEqual([true, true, true, false]);
  for (const { end } of works) end();
  await Promise.all([works[0], works[2], works[3]].map(({ done }) => done));
  expect(begin(turns).begun && begin(turns).begun).toBe(true);
  expect(begin(turns).begun).toBe(false);
});

it("sends away whoever is aborted, and at its end all who wait", async () => {
  const turns = new Turns(1);
  const cancel = new AbortController();
  const [first, second, third] = [begin(turns), begin(turns, cancel.signal), begin(turns)];
  const aborted = expect(second.done).rejects.toThrow(/abort/i);
  cancel.abort();
  await aborted;
  await expect(begin(turns, cancel.signal).done).rejects.toThrow(/abort/i);
  const ended = expect(third.done).rejects.toThrow("closed");
  turns.end(new Error("closed"));
  await ended;
  first.end();
  await first.done;
  expect([second.begun, third.begun]).toEqual([false, false]);
  expect(begin(turns).begun).toBe(true);
});
