/** One fit that threads of a pool help, as idle threads do within a run. */

import type { ArenaHandle } from "../../engine/src/compute/arena.ts";
import type { HelpInput } from "../../engine/src/compute/crew.ts";
import { type CrewDesk, endDesk, newDesk } from "../../engine/src/compute/crew-desk.ts";
import type { ComputePool } from "../../engine/src/compute/pool.ts";

export interface Helpers {
  readonly pool: ComputePool;
  /** Threads beside the fit's own. */
  readonly count: number;
}

/**
 * @param fit on this thread, over that arena; it has the helpers by its desk
 * @param name of the task that helps
 */
export async function helpedFit<T>(
  { pool, count }: Helpers,
  arena: ArenaHandle,
  fit: (desk: CrewDesk) => T,
  name = "help",
): Promise<T> {
  const call = (desk: CrewDesk): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        pool.run<HelpInput, void>(name, { arena, desk, place: i + 1 }),
      ),
    );
  // A thread that starts while this one fits is given nothing to do until the fit has ended.
  const over = newDesk();
  endDesk(over);
  await call(over);
  const desk = newDesk();
  const helping = call(desk);
  // They are on their way when this thread begins to be busy.
  await new Promise<void>((resolve) => setImmediate(resolve));
  const made = fit(desk);
  // A fit that is too small to be shared never opened it.
  endDesk(desk);
  await helping;
  return made;
}
