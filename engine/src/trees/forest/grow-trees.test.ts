/**
 * Which trees a forest has, whatever helpers do and whenever its time ends. Helpers are steps of one thread, in
 * random order, so that a fault comes again.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { Crew } from "../../compute/crew.ts";
import { newDesk } from "../../compute/crew-desk.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey, extendKey } from "../../compute/random.ts";
import { Scratch, scratchPeak, withScratch } from "../../compute/scratch.ts";
import { FitLimits } from "../../families/fit-limits.ts";
import { GROW_TREES, PRESENT } from "../../kernels/assembly/crew/crew-layout.ts";
import { ForestBuilder } from "./forest-builder.ts";
import { growTrees } from "./grow-trees.ts";
import { regressionStatistics } from "./row-statistics.ts";
import { randomRows } from "./testing/rows.ts";
import { TreeSlots } from "./tree-slots.ts";

const EACH = randomRows({ seed: 4, rows: 120, columns: 3, classes: 0, weighted: false, bins: 9 });
const KEY = deriveKey(4, "trees");
const HELPERS = 3;

/** Steps that others make between those of the leader. */
interface Others {
  step(): void;
}

class CrewOfSteps extends Crew {
  others: Others | null = null;

  /** Nothing else happens while a thread waits that is the only one. */
  override awaitUnit(): void {
    this.others?.step();
  }
}

class SlotsBetweenSteps extends TreeSlots {
  others: Others | null = null;
  /** The trees that the leader worked on, bit by bit. */
  readonly led: number[] = [];

  override grow(slot: number): void {
    this.led.push(this.number(slot));
    this.others?.step();
    super.grow(slot);
  }
}

interface Course {
  readonly trees: number;
  readonly seed: number;
  readonly extra: number;
  readonly lookCells: number;
  /** The step at which the time is over; null: it never is. */
  readonly endsAt: number | null;
  readonly iterations?: number;
}

/** Helpers that come, grow a bit of a tree, and leave, as the dice say. */
function dice(crew: Crew, arena: Arena, seed: number, onStep: () => void): Others {
  const random = new CounterRandom(deriveKey(seed, "steps"));
  const kernels = kernelsOf(arena);
  const present = arena.i32(crew.block + PRESENT, 1);
  const isHere = new Array<boolean>(HELPERS + 1).fill(false);
  return {
    step() {
      onStep();
      for (let place = 1; place <= HELPERS; place++) {
        const what = random.nextInteger(6);
        if (!isHere[place]) {
          if (what === 0) {
            isHere[place] = true;
            present[0]++;
          }
        } else if (what === 0) {
          kernels.leaveCrew(crew.block, place);
          isHere[place] = false;
          present[0]--;
        } else for (let i = 0; i < what; i++) kernels.helpCrew(crew.block, place, 1);
      }
    },
  };
}

function run({ trees, seed, extra, lookCells, endsAt, iterations }: Course) {
  const arena = Arena.attach(EACH.data.arena);
  const { binned, rows: length } = EACH.data;
  if (binned === null) throw new Error("no bins");
  const all = Uint32Array.from({ length }, (_, row) => row);
  const { rows, statistics } = regressionStatistics(EACH.target, all, null);
  const stop = new Int32Array(1);
  const limits = new FitLimits({ stop, ...(iterations === undefined ? {} : { iterations }) });
  return withScratch(arena, (scratch) => {
    const crew = new CrewOfSteps(scratch, extra, newDesk());
    const growth = {
      ...{ nodeFeatures: 2, maxLeaves: 1000, maxDepth: 0, minLeaf: 1, randomCuts: false },
      ...{ draws: rows.length, withReplacement: true, shrinkage: 0, lookCells },
      criterion: "gini" as const,
    };
    const slots = new SlotsBetweenSteps(scratch, binned, rows, statistics, growth, extra);
    crew.setTask(GROW_TREES, slots.block);
    const builder = new ForestBuilder(1);
    let ledBefore = Number.POSITIVE_INFINITY;
    if (extra > 0) {
      let steps = 0;
      crew.others = dice(crew, arena, seed, () => {
        if (steps++ !== endsAt) return;
        stop[0] = 1;
        ledBefore = slots.led.length;
      });
      slots.others = crew.others;
    }
    const grown = growTrees(slots, crew, {
      trees,
      keyOf: (tree) => extendKey(KEY, "tree", tree),
      mayGrow: () => limits.begin(),
      givesUp: () => limits.abandons(),
      take: (tree, each) => builder.put(tree, each),
    });
    const ledLate = new Set(slots.led.slice(ledBefore));
    return { grown, forest: builder.build(grown), cutAt: limits.cutAt, ledLate };
  });
}

const alone = (trees: number) =>
  run({ trees, seed: 0, extra: 0, lookCells: 2 ** 17, endsAt: null }).forest;

const courses = fc.record({
  trees: fc.constantFrom(1, 2, 5, 12),
  seed: fc.nat(),
  extra: fc.constantFrom(1, 3, 8),
  lookCells: fc.constantFrom(1, 200, 1000, 2 ** 17),
});

describe("trees of a forest", () => {
  it("are all there, whoever comes, leaves and comes again", () => {
    fc.assert(
      fc.property(courses, (course) => {
        const { grown, forest, cutAt } = run({ ...course, endsAt: null });
        expect(grown).toBe(course.trees);
        expect(forest).toEqual(alone(course.trees));
        expect(cutAt).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it("are the first ones where the time ends, as many as a rerun is told of", () => {
    const cuts = fc.record({ courses, endsAt: fc.integer({ min: 0, max: 60 }) });
    fc.assert(
      fc.property(cuts, ({ courses: course, endsAt }) => {
        const { grown, forest, cutAt, ledLate } = run({ ...course, endsAt });
        expect(grown).toBe(cutAt ?? course.trees);
        // Then the leader ends its own tree at most, but for the first, which there is in any case.
        ledLate.delete(0);
        expect(ledLate.size).toBeLessThan(2);
        expect(grown).toBeGreaterThan(0);
        expect(forest).toEqual(alone(grown));
        const again = run({ ...course, endsAt: null, iterations: grown, seed: course.seed + 1 });
        expect(again.forest).toEqual(forest);
      }),
      { numRuns: 60 },
    );
  });

  it("hold as many bytes whether or not somebody helps", () => {
    const bytes = (seed: number, extra: number): number =>
      scratchPeak(() => run({ trees: 5, seed, extra, lookCells: 200, endsAt: null })).bytes;
    expect(bytes(1, 8)).toBe(bytes(2, 8));
    const reserved = new Scratch(Arena.create());
    expect(scratchPeak(() => reserved.reserve(1000)).bytes).toBe(1000);
    expect(scratchPeak(() => reserved.takeReserved(600)).bytes).toBe(0);
    reserved.release();
    expect(scratchPeak(() => undefined).bytes).toBe(0);
    expect(bytes(1, 8)).toBeGreaterThan(bytes(1, 1));
  });
});
