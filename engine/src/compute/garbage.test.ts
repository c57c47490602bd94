import process from "node:process";
import { describe, expect, it } from "vitest";
import { collectArrays } from "./garbage.ts";

const MIB = 2 ** 20;
const held = (): number => process.memoryUsage().arrayBuffers;

describe("arrays that were let go of", () => {
  it("are given back once they are many", () => {
    collectArrays();
    const before = held();
    const sums = Array.from({ length: 10 }, (_, i) => new Float64Array(MIB).fill(i)[1]);
    expect(sums.at(-1)).toBe(9);
    const kept = new Float64Array(MIB).fill(1);
    // Until the next turn of the loop the last ones may still lie on the stack.
    collectArrays();
    expect(held() - before).toBeLessThan(40 * MIB);
    expect(kept[5]).toBe(1);
  });
});
