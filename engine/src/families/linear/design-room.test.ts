import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withDesignRoom } from "./design-room.ts";
import { linear } from "./family.ts";
import { readParameters } from "./parameters.ts";
import { contextOf, encodeColumns } from "./testing/data.ts";

const TASK = { kind: "regression", classes: [] } as const;

function contextOfRows(rows: number, columns: number) {
  const random = new CounterRandom(deriveKey(1, "room"));
  const draw = () => Float64Array.from({ length: rows }, () => random.nextGaussian());
  const cells = Array.from({ length: columns }, draw);
  const data = encodeColumns(cells.map((each, j) => ({ name: `x${j}`, cells: each })));
  const context = contextOf(TASK, data, cells[0]);
  const shape = { rows, task: TASK, features: data.features };
  return { context, parameters: linear.defaults(shape) };
}

it("is of some rows, drawn at random, where the design would be larger than it may be", () => {
  const { context, parameters } = contextOfRows(4000, 2);
  const rowsWithin = (bytes: number) =>
    withDesignRoom(context, readParameters(parameters), (_, rows) => rows, bytes);
  // Two splines of four columns, in double precision.
  const whole = 4000 * 8 * 8;
  expect(rowsWithin(whole)).toBe(context.trainRows);
  const half = rowsWithin(whole / 2);
  expect(half.length).toBeGreaterThan(1800);
  expect(half.length).toBeLessThan(2200);
  expect(half).toEqual(half.toSorted());
  expect(rowsWithin(whole / 2)).toEqual(half);
});

it("is not beside the data where it is large, and gives the arena back what it held there", () => {
  const { context, parameters } = contextOfRows(60_000, 10);
  const { arena } = context.data;
  const before = arena.memory.buffer.byteLength;
  const { facts } = linear.fit(context, parameters);
  expect(facts).toMatchObject({ rows: 60_000, columns: 40 });
  // 60,000 rows of 40 columns are less than 64 MiB, and those of 90 columns more.
  const large = contextOfRows(100_000, 23);
  const held = large.context.data.arena.memory.buffer.byteLength;
  linear.fit(large.context, large.parameters);
  expect(large.context.data.arena.memory.buffer.byteLength - held).toBeLessThan(2 ** 24);
  expect(arena.memory.buffer.byteLength).toBeGreaterThan(before + 2 ** 24);
});
