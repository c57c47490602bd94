import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { divisionsOf, latticeSize, simplexLattice } from "./simplex-lattice.ts";

/** Every point of the grid over the whole cube, and of those the ones that sum to 1. */
function slowLattice(objectives: number, divisions: number): number[][] {
  const all: number[][] = [];
  const count = (divisions + 1) ** objectives;
  for (let i = 0; i < count; i++) {
    const parts = Array.from(
      { length: objectives },
      (_, k) => Math.floor(i / (divisions + 1) ** k) % (divisions + 1),
    );
    if (parts.reduce((sum, part) => sum + part) === divisions) {
      all.push(parts.map((part) => part / divisions));
    }
  }
  return all;
}

const sorted = (points: readonly (readonly number[])[]): string[] =>
  points.map((point) => point.join()).sort();

test("the lattice is the grid's points that sum to 1, each once", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      (objectives, divisions) => {
        const lattice = simplexLattice(objectives, divisions);
        expect(sorted(lattice)).toEqual(sorted(slowLattice(objectives, divisions)));
        expect(lattice.length).toBe(latticeSize(objectives, divisions));
      },
    ),
  );
});

test("it begins with all weight on the first metric, and ends with all on the last", () => {
  const lattice = simplexLattice(3, 10);
  expect(lattice.length).toBe(66);
  expect(lattice[0]).toEqual([1, 0, 0]);
  expect(lattice.at(-1)).toEqual([0, 0, 1]);
});

describe("a grid size", () => {
  test.each([
    [1, 1],
    [7, 7],
    [0.1, 10],
    [0.25, 4],
    [1 / 3, 3],
    [1 / 49, 49],
    // A step that does not divide 1 becomes the next smaller that does.
    [0.3, 4],
    [0.9, 2],
  ])("of %d is %d divisions", (gridSize, divisions) => {
    expect(divisionsOf(gridSize)).toBe(divisions);
  });

  test.each([0, -1, 1.5, Number.NaN])("of %d is refused", (gridSize) => {
    expect(() => divisionsOf(gridSize)).toThrow(/whole number of divisions/);
  });
});
