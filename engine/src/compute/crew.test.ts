/** Who helps whom, and when: the threads of a pool and a task that shares its work. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import * as layout from "../kernels/assembly/crew/crew-layout.ts";
import { Arena } from "./arena.ts";
import { Crew } from "./crew.ts";
import {
  type CrewDesk,
  closeDesk,
  enterDesk,
  helpedSeconds,
  leaveDesk,
  loseHelper,
  newDesk,
  openDesk,
  throwIfLost,
  waitedSeconds,
} from "./crew-desk.ts";
import { ComputePool } from "./pool.ts";
import { withScratch } from "./scratch.ts";
import type { Meeting } from "./testing/pool-tasks.ts";

const pool = new ComputePool(new URL("./testing/pool-tasks.ts", import.meta.url), 3);
afterAll(() => pool.close());

const arena = Arena.create();

interface Changes {
  readonly places?: number;
  readonly waits?: boolean;
  readonly signal?: AbortSignal;
  readonly on?: ComputePool;
}

function begin(
  name: "fail" | "help" | "harm",
  { places = 2, waits = false, signal, on = pool }: Changes = {},
) {
  const desk = newDesk();
  const end = new Int32Array(new SharedArrayBuffer(4));
  const meeting: Meeting = { arena: arena.handle(), desk, end, places, waits };
  const crew = { name, arena: arena.handle(), desk };
  const ended = on.run<Meeting, string>("lead", meeting, { crew, ...(signal ? { signal } : {}) });
  const finish = (): void => {
    Atomics.store(end, 0, 1);
    Atomics.notify(end, 0);
  };
  return { desk, ended, finish };
}

/** Helpers that are at work: the bits of the desk's third word. */
function helpersInside(desk: CrewDesk): number {
  return Atomics.load(desk, 2).toString(2).replaceAll("0", "").length;
}

async function untilHelpers(desk: CrewDesk, count: number) {
  while (helpersInside(desk) !== count) await sleep(2);
}

describe("a pool with a task that shares its work", () => {
  it("sends all idle threads, calls them back for other tasks, and sends them again", async () => {
    const { desk, ended, finish } = begin("help");
    await untilHelpers(desk, 2);
    expect(await Promise.all([1, 2, 3, 4].map((i) => pool.run("echo", i)))).toEqual([1, 2, 3, 4]);
    await untilHelpers(desk, 2);
    finish();
    expect(await ended).toBe("led");
    expect(helpersInside(desk)).toBe(0);
  });

  it("divides helpers among such tasks", async () => {
    const first = begin("help");
    await untilHelpers(first.desk, 2);
    const second = begin("help");
    await untilHelpers(first.desk, 1);
    second.finish();
    expect(await second.ended).toBe("led");
    await untilHelpers(first.desk, 2);
    first.finish();
    expect(await first.ended).toBe("led");
  });

  it("keeps helpers away that the task has no memory for", async () => {
    const { desk, ended, finish } = begin("help", { places: 1 });
    await untilHelpers(desk, 1);
    // The other one is there as well, and comes when it is called back.
    expect(await Promise.all([1, 2, 3].map((i) => pool.run("echo", i)))).toEqual([1, 2, 3]);
    await untilHelpers(desk, 1);
    finish();
    expect(await ended).toBe("led");
  });

  it("frees all that a fit held", async () => {
    const before = arena.liveBytes;
    const { desk, ended, finish } = begin("help");
    await untilHelpers(desk, 2);
    expect(arena.liveBytes).toBeGreaterThan(before);
    finish();
    await ended;
    expect(arena.liveBytes).toBe(before);
  });

  it("counts as help what helpers work, less what their leader waits for them", () => {
    const desk = newDesk();
    withScratch(arena, (scratch) => {
      const crew = new Crew(scratch, 1, desk);
      crew.lead(() => crew.awaitUnit(0));
    });
    const waited = waitedSeconds(desk);
    expect(waited).toBeGreaterThan(0);
    // More than a day.
    leaveDesk(desk, 1, 100_000);
    expect(helpedSeconds(desk)).toBeCloseTo(100_000 - waited, 6);
  });

  it.each([1, 40])(
    "has a leader that waited go alone for some times as long, at %s jobs a millisecond",
    (jobsAMs) => {
      const desk = newDesk();
      withScratch(arena, (scratch) => {
        const crew = new Crew(scratch, 1, desk);
        const words = arena.i32(crew.block, layout.BYTES / 4);
        /** How many times as long as it waits for nobody amid a job. */
        const timesAlone = (job: number): number => {
          const before = waitedSeconds(desk);
          words[layout.JOB / 4] = job;
          words[layout.SHARED_SINCE / 4] = performance.now() - job / jobsAMs;
          words[layout.ALONE / 4] = words[layout.ALL_ALONE / 4] = 0;
          crew.awaitUnit(0);
          const waited = 1000 * (waitedSeconds(desk) - before);
          return words[layout.ALONE / 4] / jobsAMs / waited;
        };
        crew.lead(() => {
          const first = 1000 * jobsAMs;
          const times = [first, first, first + 100, first + 200, first + 2000].map(timesAlone);
          // The second is the same wait, which goes on; the last comes late again.
          for (const [i, expected] of [5, 5, 10, 20, 5].entries()) {
            expect(times[i] / expected).toBeGreaterThan(0.8);
            expect(times[i] / expected).toBeLessThan(1.1);
          }
        });
      });
    },
  );

  it("fails a task whose helper ended amid its work", async () => {
    await expect(begin("harm", { waits: true }).ended).rejects.toThrow(
      /thread that helped .*: out of memory$/,
    );
    expect(await pool.run("echo", 8)).toBe(8);
  });

  it("goes on where a helper ended before it had come in", async () => {
    const two = new ComputePool(new URL("./testing/pool-tasks.ts", import.meta.url), 2);
    const { ended, finish } = begin("fail", { on: two, waits: true });
    // By the one thread that is not the leader's, behind the helper.
    expect(await two.run("echo", 9)).toBe(9);
    finish();
    expect(await ended).toBe("led");
    await two.close();
  });

  it("waits for a helper inside, whoever else was lost outside", async () => {
    const desk = newDesk();
    const words = new Int32Array(new SharedArrayBuffer(layout.BYTES));
    openDesk(desk, 64, 2);
    expect(enterDesk(desk, 2)).toBe(64);
    expect(loseHelper(desk, 1)).toBe(false);
    expect(() => throwIfLost(desk)).not.toThrow();
    // Without an end, the leader would wait for it for ever.
    expect(loseHelper(desk, 2)).toBe(true);
    closeDesk(desk, words);
    expect(() => throwIfLost(desk)).toThrow(/thread that helped/);
  });

  it("ends helpers with the task that is aborted", async () => {
    const stop = new AbortController();
    const { desk, ended } = begin("help", { signal: stop.signal });
    const refused = expect(ended).rejects.toThrow(/abort/i);
    await untilHelpers(desk, 2);
    await pool.abort(stop);
    await refused;
    expect(await Promise.all([1, 2, 3].map((i) => pool.run("echo", i)))).toEqual([1, 2, 3]);
  });
});
