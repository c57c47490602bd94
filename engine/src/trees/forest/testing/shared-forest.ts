/** Tasks for pool threads: the same forest by one thread and by all that come. */

import { Arena } from "../../../compute/arena.ts";
import { type HelpInput, help as helpFit } from "../../../compute/crew.ts";
import { enterDesk, helpedSeconds } from "../../../compute/crew-desk.ts";
import { kernelsOf } from "../../../compute/kernels.ts";
import { task } from "../../../compute/pool.ts";
import * as layout from "../../../kernels/assembly/crew/crew-layout.ts";
import { type ForestInput, type ForestSettings, fitForest, type Sharing } from "../fit-forest.ts";

export interface SharedForest {
  readonly input: ForestInput;
  readonly settings: ForestSettings;
  readonly sharing: Sharing;
}

export interface SharedForestOutcome {
  /** All that was grown, by one thread. */
  readonly alone: string;
  readonly shared: string;
  /** Seconds that others worked. */
  readonly helped: number;
}

/** All that was grown. */
export function textOf(trees: object): string {
  return JSON.stringify(trees, (_, value: unknown) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")
      : value,
  );
}

export const growBoth = task(({ input, settings, sharing }: SharedForest): SharedForestOutcome => {
  const { crew, ...lone } = input;
  const shared = textOf(fitForest(input, settings, sharing));
  return {
    alone: textOf(fitForest(lone, settings)),
    shared,
    helped: crew ? helpedSeconds(crew) : 0,
  };
});

export const growShared = task(({ input, settings, sharing }: SharedForest): string =>
  textOf(fitForest(input, settings, sharing)),
);

export const help = task(helpFit);

/** A helper that comes to harm with a tree in its hands. */
export const harm = task(({ arena, desk, place }: HelpInput): void => {
  const block = enterDesk(desk, place);
  if (block === null) return;
  const words = Arena.attach(arena).i32(block, layout.BYTES / 4);
  Atomics.add(words, layout.PRESENT / 4, 1);
  while (kernelsOf(arena).helpCrew(block, place, 1) === 0) {
    Atomics.wait(words, layout.JOB / 4, Atomics.load(words, layout.JOB / 4), 1);
  }
  throw new RangeError("out of memory");
});
