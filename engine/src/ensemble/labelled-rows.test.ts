import fc from "fast-check";
import { expect, it } from "vitest";
import { crossFits } from "./labelled-rows.ts";

it("sets each block of rows against the others, and parts of a single one", () => {
  const size = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 5 }), (sizes) => {
      const blockOf = sizes.flatMap((rows, block) => new Array<number>(rows).fill(block));
      const partOf = sizes.length > 1 ? blockOf : blockOf.map((_, row) => row % 5);
      fc.pre(sizes.length > 1 || sizes[0] !== 1);
      const parts = sizes.length > 1 ? sizes.length : Math.min(5, sizes[0]);
      const all = blockOf.map((_, row) => row);
      expect(crossFits(sizes).map(({ fit, apply }) => [[...fit], [...apply]])).toEqual(
        Array.from({ length: parts }, (_, part) => [
          all.filter((row) => partOf[row] !== part),
          all.filter((row) => partOf[row] === part),
        ]),
      );
    }),
  );
});

it("weighs a row that is alone by itself", () => {
  expect(crossFits([1])).toEqual([{ fit: Uint32Array.of(0), apply: Uint32Array.of(0) }]);
});
