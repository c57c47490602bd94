import { beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../../compute/pool.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import { sha256 } from "../../model/sha256.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import type { RunEvent, RunPlan } from "../log/events.ts";
import { foldEvents, type RunState } from "../log/state.ts";
import { MemoryRunStore, readModelFile } from "../log/store.ts";
import { prepareTable } from "../plan/prepare.ts";
import { RunDriver } from "../run.ts";
import { DyingStore, modelFiles } from "../testing/dying-store.ts";
import { FakeClock } from "../testing/fake-clock.ts";

let one: ComputePool;
let two: ComputePool;
beforeAll(() => {
  one = sharedPool(1);
  two = sharedPool(2);
});

const table: Table = (() => {
  const random = new CounterRandom(deriveKey(8, "table"));
  const column = (name: string): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: 240 }, () => random.nextGaussian()),
  });
  const [x, z] = [column("x"), column("z")];
  const y = column("y");
  y.values.forEach((noise, i) => {
    y.values[i] = 3 * x.values[i] + Math.sin(3 * z.values[i]) + 0.3 * noise;
  });
  return { rows: 240, columns: [x, z, y] };
})();

const config: RunConfigInput = {
  task: { taskKind: "regression", labelColumn: "y" },
  modelFamilies: ["gbdt", "linear"],
  hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 10 } }] },
  nTrials: 9,
  nTrialsPerStep: 3,
  nCvSplits: 3,
};

interface Driven {
  readonly store: MemoryRunStore;
  readonly state: RunState;
}

type Options = Partial<ConstructorParameters<typeof RunDriver>[0]> & { store?: MemoryRunStore };
type Matrix = RunPlan["matrix"];

/** @param matrixOf what is searched, of what the configuration would have searched */
function searchOver(more: RunConfigInput, matrixOf: (rows: Matrix) => Matrix, options: Options) {
  const parsed = runConfigSchema.parse(more);
  const store = options.store ?? new MemoryRunStore();
  const prepared = prepareTable(table, parsed);
  const matrix = matrixOf(prepared.plan.matrix);
  const run = { ...prepared, plan: { ...prepared.plan, matrix } };
  const driver = new RunDriver({ pool: two, ...options, run, config: parsed, store });
  return { driver, store, matrix };
}

async function drive(more: RunConfigInput, options: Options = {}): Promise<Driven> {
  const { driver, store } = searchOver(more, (rows) => rows, options);
  return { store, state: await driver.drive() };
}

/** By file; short, so that a difference can be read. */
function digests(store: MemoryRunStore): Record<string, string> {
  return Object.fromEntries(
    Object.entries(modelFiles(store)).map(([name, text]) => [name, sha256(Buffer.from(text))]),
  );
}

const inState = (state: RunState, wanted: string) =>
  state.trials.filter((trial) => trial.state === wanted);

async function cardOf(store: MemoryRunStore) {
  const text = Buffer.from(await readModelFile(store, "model.json")).toString();
  return JSON.parse(text).card;
}

describe("pruning", () => {
  let reference: Driven;
  beforeAll(async () => {
    reference = await drive(config);
  });

  it("stops trials after a fold, in the log's words, and never those of the first step", () => {
    const pruned = inState(reference.state, "pruned");
    expect(pruned.length).toBeGreaterThan(1);
    for (const trial of pruned) {
      expect(trial.step).toBeGreaterThan(0);
      expect(trial.reason).toMatch(/^After [12] of 3 folds it is behind \d+ finished trials/);
      expect(trial.folds.filter((fold) => fold !== undefined).length).toBeLessThan(3);
      expect(trial.expected?.["rmse"]).toBeGreaterThan(0);
      expect(trial.scores).toBeNull();
    }
    const members = reference.state.selections.flatMap((each) => each.members);
    for (const { trial } of members) expect(reference.state.trials[trial].state).toBe("finished");
  });

  it("comes to equal files on one thread and on two", async () => {
    const { store, state } = await drive(config, { pool: one });
    expect(digests(store)).toEqual(digests(reference.store));
    expect(state.trials.map((trial) => trial.reason)).toEqual(
      reference.state.trials.map((trial) => trial.reason),
    );
  });

  it("comes to equal files wherever it is killed", async () => {
    const total = reference.store.events.length;
    for (let death = 3; death < total; death += 7) {
      const store = new MemoryRunStore();
      const dying = new DyingStore(store, death);
      await expect(drive(config, { store: dying })).rejects.toThrow("killed");
      await drive(config, { store });
      expect(digests(store)).toEqual(digests(reference.store));
      expect(store.events.length).toBe(total);
    }
  });

  it("can be switched off, and has nothing to do on a single split", async () => {
    const off = await drive({ ...config, nTrials: 6, pruning: false });
    expect(inState(off.state, "finished").length).toBe(12);
    const holdout = await drive({ ...config, nTrials: 6, nCvSplits: null });
    expect(inState(holdout.state, "finished").length).toBe(12);
  });
});

/** Rounds without end, and a budget that ends before the first of them have come to it. */
const ENDLESS = 100_000;
const endless: RunConfigInput = {
  ...config,
  modelFamilies: ["gbdt", "random_forest"],
  hpoSpace: {
    models: [
      { family: "gbdt", fixed: { n_estimators: ENDLESS, early_stopping_rounds: 0 } },
      { family: "random_forest", fixed: { n_estimators: 10_000 } },
    ],
  },
};

describe("fits that are longer than their share of the time", () => {
  let cut: Driven;
  beforeAll(async () => {
    cut = await drive({ ...endless, timeBudgetS: 3 });
  });

  it("end within it, with what they have, and the card says how far they came", async () => {
    const card = await cardOf(cut.store);
    expect(card.budget.seconds).toBe(3);
    expect(card.budget.cut[0]).toMatch(
      /^\d+ of \d+ fits (?:was|were) ended early, .* (?:it|they) had reached: (?:gbdt|random_forest) \d/,
    );
    const finished = inState(cut.state, "finished");
    expect(finished.length).toBeGreaterThan(0);
    for (const { number, folds } of finished) {
      for (const [fold, done] of folds.entries()) {
        if (done?.state !== "finished") throw new Error("A finished trial lacks a fold.");
        const { iterations } = done.cut ?? {};
        expect(iterations).toBeGreaterThan(0);
        expect(iterations).toBeLessThan(ENDLESS);
        expect(card.config.fitsCut).toContainEqual({ trial: number, fold, iterations });
      }
    }
  });

  it("are repeated to the bit by the card's config, on any number of threads", async () => {
    const card = await cardOf(cut.store);
    const repeated = await drive(card.config, { pool: one });
    expect(digests(repeated.store)).toEqual(digests(cut.store));
  });
});

describe("a winner whose folds were cut", () => {
  it("is fitted on all rows no longer than they were, and repeated", async () => {
    const fitsCut = [7, 5, 6].map((iterations, fold) => ({ trial: 0, fold, iterations }));
    const { store, state } = await drive({
      ...endless,
      modelFamilies: ["random_forest"],
      hpoSpace: { models: [{ family: "random_forest", fixed: { n_estimators: 10_000 } }] },
      ensemble: false,
      fitsCut,
      // Where these are given the clock is not asked.
      ...{ timeBudgetS: 3, trialsAllowed: 1 },
    });
    expect(state.refitCuts).toEqual([{ iterations: 7 }]);
    const card = await cardOf(store);
    expect(card.config.refitsCut).toEqual([{ model: 0, iterations: 7 }]);
    const repeated = await drive(card.config, { pool: one });
    expect(digests(repeated.store)).toEqual(digests(store));
  });
});

/**
 * Goes on with a run of two families that was killed before its trials were judged.
 *
 * @param iterations by trial and fold: after which it was cut
 * @param lost trials whose last fold had not ended
 * @param elapsed of the million seconds that it has
 * @param errors of each fold, by trial; where absent, its own
 */
async function cutAt(
  iterations: readonly (readonly number[])[],
  lost: readonly number[] = [],
  elapsed = 1,
  errors: readonly number[] = [],
): Promise<Driven> {
  const more = { ...config, nTrials: iterations.length / 2, timeBudgetS: 1e6 };
  const store = new MemoryRunStore();
  // The plan, the step and the folds.
  const dying = new DyingStore(store, 2 + 3 * iterations.length);
  await expect(drive(more, { store: dying })).rejects.toThrow("killed");
  for (const event of store.events.splice(0)) {
    if (event.type !== "fold_finished") {
      store.events.push({ ...event, elapsed });
      continue;
    }
    if (event.fold === 2 && lost.includes(event.trial)) continue;
    const had = iterations[event.trial][event.fold];
    const rmse = errors[event.trial];
    const scores = rmse === undefined ? event.scores : { rmse };
    store.events.push({ ...event, scores, iterations: had, cut: { iterations: had }, elapsed });
  }
  return drive(more, { store });
}

describe("a trial one of whose folds was cut to next to nothing", () => {
  it("is kept where no other is as good: its rows were not seen, whatever the clock did", async () => {
    const [starved, whole] = [
      [80, 1, 60],
      [20, 30, 40],
    ];
    const { state } = await cutAt([starved, whole], [], 1, [1, 2]);
    expect(state.trials.map((trial) => trial.state)).toEqual(["finished", "finished"]);
    const { state: other } = await cutAt([starved, whole], [], 1, [2, 1]);
    expect(other.trials.map((trial) => trial.state)).toEqual(["refused", "finished"]);
  });

  it("is refused where there is another, so that a rerun leaves it out", async () => {
    const { state, store } = await cutAt([
      [80, 1, 60],
      [20, 30, 40],
    ]);
    expect(state.trials.map((trial) => trial.state)).toEqual(["refused", "finished"]);
    expect(state.trials[0].reason).toBe(
      "1 of its 3 folds was ended with less than a tenth of the rounds, trees or solver steps that others had.",
    );
    expect((await cardOf(store)).config.trialsRefused).toEqual([0]);
  });

  it("is kept where all others are behind one that had no time to end", async () => {
    const few = [80, 1, 60];
    const { state, store } = await cutAt(
      [few, [20, 30, 40], [70, 80, 90], [20, 30, 40]],
      [1, 3],
      1e6,
    );
    expect(state.trials.map((trial) => trial.state)).toEqual([
      "finished",
      ...["dropped", "dropped", "dropped"],
    ]);
    expect(state.phase).toBe("done");
    // Trial 2 is at its end as well, and nobody is told so of what is dropped.
    const told = store.events.filter(({ type }) => type === "trial_finished");
    expect(told).toMatchObject([{ trial: 0 }]);
    expect(state.stopped).toMatchObject({ trials: 1, allowed: 1 });
  });

  it("is kept where each has such folds, and the card says so", async () => {
    const { state, store } = await cutAt([
      [80, 1, 60],
      [40, 1, 40],
    ]);
    expect(state.trials.map((trial) => trial.state)).toEqual(["finished", "finished"]);
    expect((await cardOf(store)).budget.cut).toContain(
      "Trial 1 was kept as no other was as good: 1 of its 3 folds was ended with less than a tenth of the rounds, trees or solver steps that others had.",
    );
  });
});

describe("folds of few rows under a time budget", () => {
  it("are eight, as the card says, and a rerun has them again", async () => {
    const { nCvSplits: _, ...left } = { ...config, modelFamilies: ["linear"], nTrials: 2 };
    const more = { ...left, hpoSpace: null, timeBudgetS: 1e6 };
    const { store, state } = await drive(more);
    expect(state.plan).toMatchObject({ folds: 8, splitter: "8 folds" });
    const card = await cardOf(store);
    expect(card.config.nCvSplits).toBe(8);
    const repeated = await drive(card.config, { pool: one });
    expect(digests(repeated.store)).toEqual(digests(store));
  });
});

describe("rows that are drawn", () => {
  it("are said by the plan and the card, and repeated", async () => {
    const more = { ...config, nTrials: 3, timeBudgetS: 1e6, rowsAllowed: 120 };
    const { store, state } = await drive(more);
    expect(state.plan).toMatchObject({ rows: 120, sampledFrom: 240 });
    const card = await cardOf(store);
    expect(card.budget.cut).toEqual([
      "The models learned from 120 of 240 rows, drawn at random: there was no time for more.",
    ]);
    const repeated = await drive(card.config, { pool: one });
    expect(digests(repeated.store)).toEqual(digests(store));
  });
});

/** Every fold takes a second of this clock, whatever the machine does. */
function secondsAFold(clock: FakeClock) {
  return (event: RunEvent) => event.type === "fold_finished" && clock.advance(1);
}

async function budgeted(timeBudgetS: number, more: RunConfigInput = config): Promise<Driven> {
  const clock = new FakeClock(5000);
  return drive({ ...more, timeBudgetS }, { clock, startedAt: 4000, onEvent: secondsAFold(clock) });
}

/** The log of a process that died after the first step, each of whose folds took so many seconds. */
function afterFirstStep(whole: MemoryRunStore, seconds: number): MemoryRunStore {
  const store = new MemoryRunStore();
  const second = whole.events.findIndex((event) => event.type === "step_asked" && event.step === 1);
  for (const event of whole.events.slice(0, second)) {
    store.events.push(event.type === "fold_finished" ? { ...event, seconds } : event);
  }
  for (const [name, bytes] of whole.artifacts) store.artifacts.set(name, bytes);
  return store;
}

describe("a time budget", () => {
  it("ends the search in time, and names the trials that it allowed", async () => {
    const { state, store } = await budgeted(30);
    const finished = inState(state, "finished").length;
    expect(state.stopped?.reason).toBe("The time budget of 30 s ran out.");
    expect(state.stopped?.trials).toBe(finished);
    expect(finished).toBeGreaterThan(0);
    // Fits that had ended when the time did are still logged, and count a second each here.
    expect(state.elapsed).toBeLessThanOrEqual(30 + two.threads + 1);
    const card = await cardOf(store);
    expect(card.trials.allowed).toBe(state.stopped?.allowed);
    expect(card.config.trialsAllowed).toBe(state.stopped?.allowed);
    expect(card.config.timeBudgetS).toBe(30);
  });

  it("says which families it left no time for", async () => {
    const { state, store } = await budgeted(4);
    const decided = state.trials.filter(({ state }) => state === "finished" || state === "pruned");
    const families = new Set(state.plan?.matrix.map(({ family }) => family));
    const untried = [...families].filter((each) => !decided.some(({ family }) => family === each));
    expect(untried.length).toBeGreaterThan(0);
    expect((await cardOf(store)).budget.cut).toContain(
      `Of the ${families.size} families one has no trial that was scored: ${untried.join(", ")}.`,
    );
  });

  it("is repeated, byte for byte, by the card's config", async () => {
    const { store } = await budgeted(20);
    const card = await cardOf(store);
    expect(card.config.trialsAllowed).toBeLessThan(18);
    const repeated = await drive(card.config, { pool: one });
    expect(digests(repeated.store)).toEqual(digests(store));
  });

  it("that is long enough changes nothing but what the card says of it", async () => {
    const short = { ...config, nTrials: 3 };
    const { store, state } = await budgeted(1e6, short);
    expect(state.stopped).toBeNull();
    const reference = await drive(short);
    const { "model/model.json": _, ...members } = digests(store);
    const { "model/model.json": __, ...expected } = digests(reference.store);
    expect(members).toEqual(expected);
    const [card, plain] = [await cardOf(store), await cardOf(reference.store)];
    const { timeBudgetS, trialsAllowed, ...asked } = card.config;
    expect(card.budget).toEqual({ seconds: 1e6, cut: [] });
    delete card.budget;
    expect([timeBudgetS, trialsAllowed]).toEqual([1e6, 6]);
    expect({ ...card, config: asked }).toEqual(plain);
  });

  it("is filled with trials where no number is asked for, and named by as many on the card", async () => {
    const { nTrials: _, ...open } = config;
    const { state, store } = await budgeted(120, open);
    const card = await cardOf(store);
    expect(state.trials.length).toBeGreaterThan(30);
    expect(card.trials.planned).toBe(state.stopped?.allowed);
    // Each family once before any twice, but for what takes no time, and what was asked behind that is said.
    expect(card.config.trialsAsked[0]).toEqual([0, 1, 1, 1]);
    const told = card.config.trialsAsked.flat();
    expect(told).toEqual(state.trials.slice(0, told.length).map(({ row }) => row));
    const repeated = await drive(card.config, { pool: one });
    expect(digests(repeated.store)).toEqual(digests(store));
  });

  it("goes to the families that the blend so far relies on, where trials of all take alike", async () => {
    const { nTrials: _, ...open } = config;
    const first = await budgeted(60, open);
    const { trial } = first.state.selections[0].members[0];
    const leader = first.state.trials[trial].row;
    expect(
      first.state.selections[0].members.every(
        (each) => first.state.trials[each.trial].row === leader,
      ),
    ).toBe(true);
    const store = afterFirstStep(first.store, 1);
    const asked: number[][] = [];
    const controller = new AbortController();
    const onEvent = (event: RunEvent): void => {
      if (event.type !== "step_asked") return;
      asked.push(event.trials.map(({ row }) => row));
      controller.abort();
    };
    const options = { store, clock: new FakeClock(0), onEvent, signal: controller.signal };
    await expect(drive({ ...open, timeBudgetS: 60 }, options)).rejects.toThrow("cancelled");
    expect(asked).toEqual([[leader, leader]]);
  });

  it("that has time for few rounds raises learning rates, as the card says, and a rerun has them again", async () => {
    const open: RunConfigInput = {
      task: config.task,
      hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 50 } }] },
      nCvSplits: 3,
    };
    const first = await budgeted(60, open);
    const store = afterFirstStep(first.store, 40);
    const clock = new FakeClock(0);
    const onEvent = secondsAFold(clock);
    const { state } = await drive({ ...open, timeBudgetS: 60 }, { store, clock, onEvent });
    const raised = state.trials.filter(({ raisedFrom }) => raisedFrom !== null);
    expect(raised.length).toBeGreaterThan(0);
    for (const { family, parameters, raisedFrom, step } of raised) {
      expect(family).toBe("gbdt");
      expect(step).toBeGreaterThan(0);
      expect(parameters["learning_rate"]).toBeGreaterThan(Number(raisedFrom));
      expect(parameters["learning_rate"]).toBeLessThanOrEqual(0.5);
    }
    const card = await cardOf(store);
    const told = card.config.ratesRaised.map(({ trial }: { trial: number }) => trial);
    expect(told.length).toBeGreaterThan(0);
    expect(raised.map(({ number }) => number)).toEqual(expect.arrayContaining(told));
    expect(card.budget.cut.join(" ")).toMatch(/learning rates? of \d+ trials? .* raised/i);
    const repeated = await drive(card.config, { pool: one });
    // Beside them lie predictions of the first run's later trials.
    expect(digests(store)).toMatchObject(digests(repeated.store));
  });

  it("that is far too short still lets one trial finish, and begins no other beside it", async () => {
    const { state, store } = await budgeted(0.001);
    const fitted = store.events.flatMap((event) =>
      event.type === "fold_finished" ? [event.trial] : [],
    );
    expect(fitted).toEqual([0, 0, 0]);
    expect(inState(state, "finished").length).toBeGreaterThan(0);
    expect(state.phase).toBe("done");
    expect(state.trials.length).toBe(6);
  });

  describe("where fits fail", () => {
    /** Rows of the matrix by whether their family exists; every fold takes a second. */
    function failing(exists: readonly boolean[], more: Partial<RunConfigInput>) {
      const { nTrials: _, ...open } = config;
      const clock = new FakeClock(0);
      return searchOver(
        { ...open, ...more },
        ([first]) => exists.map((known) => ({ ...first, ...(known ? {} : { family: "absent" }) })),
        {
          clock,
          onEvent: ({ type }) => {
            if (type !== "fold_failed" && type !== "fold_finished") return;
            clock.advance(1);
            if (clock.now() > 1000 * 200) throw new Error("The search does not end.");
          },
        },
      );
    }

    it("asks no more of a family whose first step failed for one reason, and says why", async () => {
      const { driver, store } = failing([false, true], { nTrials: 9, ensemble: false });
      const state = await driver.drive();
      expect(state.trials.filter(({ row }) => row === 0).map((each) => each.state)).toEqual(
        Array(3).fill("failed"),
      );
      expect(state.trials.filter(({ row }) => row === 1).length).toBe(9);
      const { notes } = await cardOf(store);
      expect(notes).toContainEqual(
        expect.stringMatching(
          /^No model is of absent: each of the 3 trials of it failed; it was asked for no more\. .*absent/,
        ),
      );
    });

    it("ends a counted search of families that all fail after their first step", async () => {
      const { driver } = failing([false, false], { nTrials: 9 });
      await expect(driver.drive()).rejects.toThrow(
        /^Every trial failed\. The first one \(absent\)/,
      );
      expect(driver.state.trials.length).toBe(6);
    });

    it("ends the search of a run whose every trial fails", async () => {
      const { driver } = failing([false, false], { timeBudgetS: 15 });
      await expect(driver.drive()).rejects.toThrow(
        /^Every trial failed\. The time budget of 15 s ran out\. The first one \(absent\): .*absent/,
      );
      expect(driver.state.elapsed).toBeGreaterThanOrEqual(10);
      expect(driver.state.elapsed).toBeLessThanOrEqual(15 + two.threads + 1);
      // A process that goes on from this log has nothing to go on with.
      await expect(driver.drive()).rejects.toThrow(/^Every trial failed\. The time/);
    });

    it("waits for a first trial of each family, so that there is a model if there can be one", async () => {
      const { driver } = failing([false, false, true], { timeBudgetS: 2 });
      const state = await driver.drive();
      expect(inState(state, "finished").length).toBeGreaterThan(0);
      expect(state.phase).toBe("done");
    });
  });

  it("says on the card that a family was left out for its price, and of which trials it is", async () => {
    const { nTrials: _, ...open } = config;
    const clock = new FakeClock(0);
    const { driver, store, matrix } = searchOver(
      { ...open, timeBudgetS: 20, ensemble: false },
      (rows) => rows.map((row, at) => ({ ...row, fitSeconds: [0.1, 1500][at] })),
      { clock, onEvent: secondsAFold(clock) },
    );
    const state = await driver.drive();
    const [kept, dear] = matrix.map(({ family }) => family);
    expect(new Set(state.trials.map(({ family }) => family))).toEqual(new Set([kept]));
    const { budget } = await cardOf(store);
    expect(budget.cut).toEqual(
      expect.arrayContaining([
        `${dear} was left out: one of its fits would take about 1,500 s of the processor, and a trial has 3.`,
        `Of the 2 families one has no trial that was scored: ${dear}.`,
      ]),
    );
  });

  it("counts the log's work after a restart, and not the time between", async () => {
    const store = new MemoryRunStore();
    const clock = new FakeClock(0);
    const onEvent = secondsAFold(clock);
    const dying = new DyingStore(store, 14);
    const more = { ...config, timeBudgetS: 40 };
    await expect(drive(more, { store: dying, clock, onEvent })).rejects.toThrow("killed");
    const before = foldEvents(store.events).elapsed ?? 0;
    expect(before).toBeGreaterThan(5);
    clock.advance(1e6);
    const { state } = await drive(more, { store, clock, onEvent });
    const after = store.events[14].elapsed ?? 0;
    expect(after - before).toBeLessThan(2);
    expect(state.elapsed).toBeLessThanOrEqual(40 + two.threads + 1);
    expect(inState(state, "finished").length).toBeGreaterThan(4);
  });

  it("refuses trials that cannot end in time, with the reason, and a rerun leaves them out", async () => {
    const more = { ...config, nTrials: 6, pruning: false };
    const full = await drive(more);
    const secondStep = full.store.events.findIndex(
      (event) => event.type === "step_asked" && event.step === 1,
    );
    // The log of a process that died after the first step, in which gbdt took hours.
    const store = new MemoryRunStore();
    for (const event of full.store.events.slice(0, secondStep)) {
      // Even numbers are those of gbdt, odd ones of the linear family.
      const slow = event.type === "fold_finished" && event.trial % 2 === 0;
      if (event.type === "planned") {
        store.events.push({ ...event, plan: { ...event.plan, timeBudgetS: 1000 } });
      } else store.events.push(slow ? { ...event, seconds: 7200 } : event);
    }
    for (const [name, bytes] of full.store.artifacts) store.artifacts.set(name, bytes);
    const parsed = runConfigSchema.parse({ ...more, timeBudgetS: 1000 });
    const clock = new FakeClock(0);
    const refused: string[] = [];
    const driver = new RunDriver({
      run: prepareTable(table, parsed),
      config: parsed,
      store,
      pool: two,
      clock,
      onEvent: (event) => event.type === "trial_refused" && refused.push(event.reason),
    });
    await driver.drive().catch((error: unknown) => {
      // The first run's fits are gone with its end; the search is what is looked at here.
      expect(String(error)).toContain("no artifact fits/");
    });
    expect(driver.state.trials.slice(6, 12).map((trial) => trial.state)).toEqual(
      [0, 1, 2].flatMap(() => ["refused", "finished"]),
    );
    expect(refused[0]).toMatch(/^Its folds would take \d+\.\d s or more; the search has /);

    const rerun = await drive({ ...more, trialsRefused: [6, 8, 10] });
    expect(inState(rerun.state, "refused").map((trial) => trial.number)).toEqual([6, 8, 10]);
    expect(rerun.state.trials[9].scores).toEqual(driver.state.trials[9].scores);
  });
});

describe("a memory budget", () => {
  it("refuses what would not fit beside the data, whatever the number of threads", async () => {
    const more = { ...config, nTrials: 6, memoryBudgetBytes: 1 };
    const { state, store } = await drive(more);
    // Nothing is known before the first step has run.
    expect(state.trials.slice(0, 6).every((trial) => trial.state === "finished")).toBe(true);
    expect(state.trials.slice(6).every((trial) => trial.state === "refused")).toBe(true);
    expect(state.trials[6].reason).toMatch(/^A fit would need about \d+ MiB besides the data's/);
    const again = await drive(more, { pool: one });
    expect(digests(again.store)).toEqual(digests(store));
  });

  it("that is large enough changes nothing", async () => {
    const more = { ...config, nTrials: 4 };
    const { state } = await drive({ ...more, memoryBudgetBytes: 2 ** 40 });
    expect(inState(state, "refused")).toEqual([]);
  });
});
