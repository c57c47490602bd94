import { expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import type { SequenceTransform } from "../../sequences/feature-matrix.ts";
import { setOf } from "../../sequences/testing/made-sequences.ts";
import { transformInBlocks } from "./transform-in-blocks.ts";

it("makes smaller blocks of sequences with many channels", () => {
  const line = Float64Array.from({ length: 60 }, (_, t) => t);
  const set = setOf(Array.from({ length: 8 }, () => Array.from({ length: 1500 }, () => line)));
  const frame = { ...set, kind: "sequences" as const, count: 8, columns: [] };
  const blocks: number[] = [];
  const transform: Pick<SequenceTransform, "features" | "transform" | "save"> = {
    features: 1,
    transform(_set, rows) {
      const count = rows?.length ?? 0;
      blocks.push(count);
      return { rows: count, columns: 1, values: new Float32Array(count) };
    },
    save: () => ({ header: {}, tensors: {} }),
  };
  const arena = Arena.create().handle();
  transformInBlocks(
    transform,
    frame,
    Uint32Array.from({ length: 8 }, (_, i) => i),
    { arena },
    undefined,
  );
  expect(blocks).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
});
