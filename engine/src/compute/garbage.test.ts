import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { collectArrays, collectPassingArrays, collectReleasedArrays } from "./garbage.ts";

const MIB = 2 ** 20;
const held = (): number => process.memoryUsage().arrayBuffers;

describe("arrays that were let go of", () => {
  it("are given back once they are many", async () => {
    collectArrays();
    const before = held();
    const sums = Array.from({ length: 10 }, (_, i) => new Float64Array(MIB).fill(i)[1]);
    expect(sums.at(-1)).toBe(9);
    const kept = new Float64Array(MIB).fill(1);
    // Until then some may still lie on the stack.
    await nextTurn();
    collectArrays();
    // V8 may have collected some of the 88 MiB by itself, and the rest is not worth it then.
    expect(held() - before).toBeLessThan(64 * MIB);
    expect(kept[5]).toBe(1);
  });

  it("are given back though the last collection found them in use", async () => {
    let used: Float64Array | null = new Float64Array(4 * MIB).fill(1);
    collectReleasedArrays();
    const before = held();
    expect(used[5]).toBe(1);
    used = null;
    // V8 gives them back a little after it has found them.
    for (let turn = 0; turn < 50 && before - held() < 24 * MIB; turn++) {
      await nextTurn();
      collectReleasedArrays();
    }
    expect(before - held()).toBeGreaterThanOrEqual(24 * MIB);
  });

  it("are given back one after another", () => {
    collectArrays();
    const before = held();
    const kept = new Float64Array(MIB).fill(1);
    let most = 0;
    for (let i = 0; i < 40; i++) {
      expect(new Float64Array(MIB).fill(i)[1]).toBe(i);
      collectPassingArrays();
      most = Math.max(most, held() - before);
    }
    expect(most).toBeLessThan(64 * MIB);
    expect(kept[5]).toBe(1);
  });
});
