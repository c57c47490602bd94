/** Folds that end after their trial was refused: nothing of them is logged, and nothing of theirs reaches what follows the search. */

import { afterEach, expect, it, vi } from "vitest";
import { Arena } from "../compute/arena.ts";
import type { ComputePool, TaskOptions } from "../compute/pool.ts";
import { FitStoppedError } from "../families/fit-limits.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { runConfigSchema } from "./config/config.ts";
import type { RunEvent } from "./log/events.ts";
import { MemoryRunStore } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import type { FitFoldInput } from "./pool-tasks/fit-task.ts";
import { RunDriver } from "./run.ts";
import { DyingStore } from "./testing/dying-store.ts";
import { FakeClock } from "./testing/fake-clock.ts";

const pool = sharedPool(2);
afterEach(() => vi.restoreAllMocks());

const FOLDS = 3;
/** Its first fold has no time to learn anything, and its second one is late. */
const REFUSED = 1;

const config = runConfigSchema.parse({
  task: { taskKind: "regression", labelColumn: "y" },
  modelFamilies: ["gbdt", "linear"],
  hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 5 } }] },
  nTrials: 1,
  nCvSplits: FOLDS,
  timeBudgetS: 1e6,
});

const columns = ["x", "y"].map(
  (name) =>
    ({
      kind: "numeric",
      name,
      values: Float64Array.from({ length: 90 }, (_, row) => (row * 7) % 40),
    }) as const,
);

interface Scene {
  readonly store?: MemoryRunStore;
  /** The late fold ends where its fit is asked to. */
  readonly listens: boolean;
  readonly onEvent?: (event: RunEvent, controller: AbortController) => void;
}

/** A run whose late fold ends at the latest when models have been selected. */
function late({ store = new MemoryRunStore(), listens, onEvent }: Scene) {
  const clock = new FakeClock(0);
  const controller = new AbortController();
  const complete = Promise.withResolvers<void>();
  const fitted = Promise.withResolvers<void>();
  const selected = Promise.withResolvers<void>();
  const happened: string[] = [];
  const ended: string[] = [];

  const fit = async (input: FitFoldInput, options: TaskOptions): Promise<unknown> => {
    await complete.promise;
    if (input.fold === 0) {
      await fitted.promise;
      throw new FitStoppedError();
    }
    const output = await pool.run("fitFold", input, options);
    if (input.fold > 1) return output;
    fitted.resolve();
    for (let isOver = false; !isOver; ) {
      // As threads that are waited for have it, time goes on.
      clock.advance(0.01);
      const tick = new Promise<boolean>((resolve) => setTimeout(resolve, 1, false));
      isOver = await Promise.race([tick, selected.promise.then(() => true)]);
      const { stop } = input.bounds;
      isOver ||= listens && stop !== undefined && Atomics.load(stop, 0) === 1;
      if (options.signal?.aborted) {
        ended.push("aborted");
        throw new Error("The task was aborted.");
      }
    }
    ended.push("by itself");
    return output;
  };
  const run = (name: string, input: FitFoldInput, options: TaskOptions = {}): Promise<unknown> =>
    name === "fitFold" && input.trial === REFUSED
      ? fit(input, options)
      : pool.run(name, input, options);
  const watched = new Proxy<ComputePool>(pool, {
    get: (of, member) => {
      if (member === "run") return run;
      const value: unknown = Reflect.get(of, member, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
  vi.spyOn(Arena.prototype, "restore").mockImplementation(() => {
    happened.push("restored");
  });

  let folds = 0;
  const driver = new RunDriver({
    run: prepareTable({ rows: 90, columns }, config),
    config,
    store,
    pool: watched,
    clock,
    signal: controller.signal,
    onEvent: (event) => {
      const { type } = event;
      happened.push("trial" in event ? `${type} ${event.trial}` : type);
      if (type === "fold_finished" && event.trial === 0 && ++folds === FOLDS) {
        // The search knows of it a moment later.
        setImmediate(complete.resolve);
      }
      if (type === "selected") selected.resolve();
      onEvent?.(event, controller);
    },
  });
  return { driver, happened, ended };
}

/** Dies when a refusal is on the disk. */
class StoreUntilRefusal extends DyingStore {
  #isDead = false;

  constructor(inner: MemoryRunStore) {
    super(inner, Number.POSITIVE_INFINITY);
  }

  override async appendEvent(event: RunEvent): Promise<void> {
    this.#requireAlive();
    this.#isDead = event.type === "trial_refused";
    await super.appendEvent(event);
  }

  override async putArtifact(name: string, bytes: Uint8Array): Promise<void> {
    this.#requireAlive();
    await super.putArtifact(name, bytes);
  }

  #requireAlive(): void {
    if (this.#isDead) throw new Error("killed");
  }
}

/** What happened once the trial was refused. */
function afterRefusal(happened: readonly string[]): readonly string[] {
  const refused = happened.indexOf(`trial_refused ${REFUSED}`);
  expect(refused).toBeGreaterThan(0);
  return happened.slice(refused + 1);
}

it("are not logged, and end with the search where they are asked to", async () => {
  const { driver, happened, ended } = late({ listens: true });
  const { phase, trials } = await driver.drive();
  expect([phase, trials[REFUSED].state]).toEqual(["done", "refused"]);
  expect(ended).toEqual(["by itself"]);
  expect(afterRefusal(happened)).toEqual(["trial_finished 0", "selected", "fitted", "done"]);
});

it("are ended with their threads where they go on, and the memory of those is given back before it is used again", async () => {
  const { driver, happened, ended } = late({ listens: false });
  const { phase } = await driver.drive();
  expect(phase).toBe("done");
  expect(ended).toEqual(["aborted"]);
  expect(afterRefusal(happened)).toEqual([
    "trial_finished 0",
    "restored",
    "selected",
    "fitted",
    "done",
  ]);
});

it("are gone when the run is cancelled", async () => {
  const { driver, happened, ended } = late({
    listens: false,
    onEvent: ({ type }, controller) => {
      if (type === "trial_refused") controller.abort();
    },
  });
  await expect(driver.drive()).rejects.toThrow("cancelled");
  expect(ended).toEqual(["aborted"]);
  // The other one may have come to its end.
  expect(afterRefusal(happened).filter((event) => event !== "trial_finished 0")).toEqual([]);
});

it("are gone when the run is killed, and it goes on without them", async () => {
  const store = new MemoryRunStore();
  const killed = late({ listens: true, store: new StoreUntilRefusal(store) });
  await expect(killed.driver.drive()).rejects.toThrow("killed");
  expect(afterRefusal(killed.happened)).toEqual([]);
  const resumed = late({ listens: true, store });
  const { phase, trials } = await resumed.driver.drive();
  expect([phase, trials[REFUSED].state]).toEqual(["done", "refused"]);
  expect(resumed.happened).toEqual(["trial_finished 0", "selected", "fitted", "done"]);
});
