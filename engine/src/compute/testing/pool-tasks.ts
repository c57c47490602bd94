/** Tasks for the pool's tests. */

import { readFileSync } from "node:fs";
import { Arena, type ArenaHandle } from "../arena.ts";
import { Crew, type HelpInput, help as helpFit } from "../crew.ts";
import { awaitCrew, type CrewDesk, enterDesk } from "../crew-desk.ts";
import { task } from "../pool.ts";
import { withScratch } from "../scratch.ts";

export const echo = task((input: number) => input);

export const fail = task((message: string) => {
  throw new RangeError(message);
});

export const open = task((path: string) => readFileSync(path).length);

/** For so many milliseconds. */
export const work = task((milliseconds: number) => {
  const began = performance.now();
  while (performance.now() - began < milliseconds);
});

/** Ends only with its thread. */
export const countForever = task((counter: Int32Array) => {
  for (;;) Atomics.add(counter, 0, 1);
});

/** As many bytes as are asked for. */
export const bytes = task((length: number) => new Uint8Array(length).fill(7));

export const sum = task((given: Uint8Array) => given.reduce((total, byte) => total + byte, 0));

/** Of the thread that runs it, as Linux tells. */
export const niceness = task(() => {
  const stat = readFileSync("/proc/thread-self/stat", "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
});

/** What a task that is helped and the test tell each other. */
export interface Meeting {
  readonly arena: ArenaHandle;
  readonly desk: CrewDesk;
  /** Not 0: the task is to end. */
  readonly end: Int32Array;
  /** Helpers that it has memory for. */
  readonly places: number;
  /** The task waits for work that a helper has begun. */
  readonly waits: boolean;
}

/** A fit with nothing to do. */
export const lead = task(({ arena, desk, end, places, waits }: Meeting) =>
  withScratch(Arena.attach(arena), (scratch) => {
    const crew = new Crew(scratch, places, desk);
    return crew.lead(() => {
      while (Atomics.load(end, 0) === 0) {
        if (waits) awaitCrew(arena, crew.block, 1);
        else Atomics.wait(end, 0, 0, 5);
      }
      return "led";
    });
  }),
);

export const help = task(helpFit);

/** A helper that comes to harm. */
export const harm = task(({ desk, place }: HelpInput) => {
  enterDesk(desk, place);
  throw new RangeError("out of memory");
});
