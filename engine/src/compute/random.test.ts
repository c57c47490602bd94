import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey, philox4x32, type RandomKey } from "./random.ts";

function block(counter: readonly number[], key: RandomKey): string {
  const out = new Uint32Array(4);
  philox4x32(Uint32Array.from(counter), key, out);
  return Array.from(out, (word) => word.toString(16).padStart(8, "0")).join(" ");
}

/** Philox4x32-10 with BigInt arithmetic, straight from the paper's definition. */
function slowBlock(counter: readonly number[], key: RandomKey): string {
  const mask = 0xffffffffn;
  let [c0, c1, c2, c3] = counter.map(BigInt);
  let k0 = BigInt(key.low);
  let k1 = BigInt(key.high);
  for (let round = 0; round < 10; round++) {
    const first = 0xd2511f53n * c0;
    const second = 0xcd9e8d57n * c2;
    [c0, c1, c2, c3] = [
      (second >> 32n) ^ c1 ^ k0,
      second & mask,
      (first >> 32n) ^ c3 ^ k1,
      first & mask,
    ];
    k0 = (k0 + 0x9e3779b9n) & mask;
    k1 = (k1 + 0xbb67ae85n) & mask;
  }
  return [c0, c1, c2, c3].map((word) => word.toString(16).padStart(8, "0")).join(" ");
}

describe("Philox4x32-10", () => {
  // The known-answer vectors that come with Random123.
  test.each([
    [[0, 0, 0, 0], { low: 0, high: 0 }, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      { low: 0xffffffff, high: 0xffffffff },
      "408f276d 41c83b0e a20bc7c6 6d5451fd",
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      { low: 0xa4093822, high: 0x299f31d0 },
      "d16cfe09 94fdcceb 5001e420 24126ea1",
    ],
  ])("known answer for %j", (counter, key, expected) => {
    expect(block(counter, key)).toBe(expected);
  });

  test("equals the definition in exact arithmetic", () => {
    const word = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), word, word, (counter, low, high) => {
        expect(block(counter, { low, high })).toBe(slowBlock(counter, { low, high }));
      }),
    );
  });
});

describe("deriveKey", () => {
  test("equal paths give equal keys, different ones different keys", () => {
    const part = fc.oneof(fc.string({ maxLength: 6 }), fc.nat());
    const path = fc.tuple(fc.maxSafeInteger(), fc.array(part, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(path, path, ([seed, parts], [otherSeed, otherParts]) => {
        expect(deriveKey(seed, ...parts)).toEqual(deriveKey(seed, ...parts));
        const isSame = seed === otherSeed && JSON.stringify(parts) === JSON.stringify(otherParts);
        fc.pre(!isSame);
        expect(deriveKey(seed, ...parts)).not.toEqual(deriveKey(otherSeed, ...otherParts));
      }),
    );
  });

  test("neighbours, number and text, order and depth all count", () => {
    const keys = [
      deriveKey(0, "fold", 1),
      deriveKey(0, "fold", 2),
      deriveKey(0, "fold", "1"),
      deriveKey(0, 1, "fold"),
      deriveKey(0, "fold", 1, 0),
      deriveKey(1, "fold", 1),
      deriveKey(-1, "fold", 1),
      deriveKey(2 ** 32, "fold", 1),
      deriveKey(0, "fold", 2 ** 32 + 1),
    ].map((key) => `${key.low} ${key.high}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("one changed bit of an index changes half of the key's bits", () => {
    let changed = 0;
    for (let index = 0; index < 1000; index++) {
      const a = deriveKey(7, "trial", index);
      const b = deriveKey(7, "trial", index ^ 1);
      for (let bits = a.low ^ b.low; bits !== 0; bits &= bits - 1) changed++;
      for (let bits = a.high ^ b.high; bits !== 0; bits &= bits - 1) changed++;
    }
    // 64,000 fair coins have a standard deviation of 126 (pairs are counted twice: 179).
    expect(Math.abs(changed - 32_000)).toBeLessThan(900);
  });
});

describe("CounterRandom", () => {
  const random = () => new CounterRandom(deriveKey(42, "test"));

  /** Σ (seen − expected)² / expected over equally likely cells. */
  function chiSquared(counts: ArrayLike<number>): number {
    const cells = Array.from(counts);
    const expected = cells.reduce((sum, n) => sum + n) / cells.length;
    return cells.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  }

  test("is the blocks of counters 0, 1, 2, … word by word", () => {
    const key = deriveKey(42, "test");
    const drawn = random();
    for (let counter = 0; counter < 3; counter++) {
      const words = Array.from({ length: 4 }, () =>
        drawn.nextUint32().toString(16).padStart(8, "0"),
      );
      expect(words.join(" ")).toBe(slowBlock([counter, 0, 0, 0], key));
    }
  });

  test("floats are uniform in [0, 1) and use all 53 bits", () => {
    const drawn = random();
    const counts = new Uint32Array(100);
    let usesLowBit = false;
    for (let i = 0; i < 100_000; i++) {
      const x = drawn.nextFloat();
      expect(x >= 0 && x < 1).toBe(true);
      counts[Math.trunc(x * 100)]++;
      usesLowBit ||= (x * 2 ** 53) % 2 === 1;
    }
    // 99 degrees of freedom: 161 has a chance of about 1e-4.
    expect(chiSquared(counts)).toBeLessThan(161);
    expect(usesLowBit).toBe(true);
  });

  test("successive pairs of floats are uniform in the square", () => {
    const drawn = random();
    const counts = new Uint32Array(100);
    for (let i = 0; i < 50_000; i++) {
      counts[Math.trunc(drawn.nextFloat() * 10) * 10 + Math.trunc(drawn.nextFloat() * 10)]++;
    }
    expect(chiSquared(counts)).toBeLessThan(161);
  });

  test.each([1, 2, 3, 10, 101])("integers below %d are uniform", (bound) => {
    const drawn = random();
    const counts = new Uint32Array(bound);
    for (let i = 0; i < 50_000; i++) counts[drawn.nextInteger(bound)]++;
    // Mean plus five standard deviations of the chi-squared distribution.
    expect(chiSquared(counts)).toBeLessThanOrEqual(bound - 1 + 5 * Math.sqrt(2 * (bound - 1)) + 5);
  });

  test("integers have no modulo bias", () => {
    // Below 3·2³⁰, a plain remainder would make the lowest third twice as likely as the others.
    const drawn = random();
    let lowest = 0;
    for (let i = 0; i < 30_000; i++) if (drawn.nextInteger(3 * 2 ** 30) < 2 ** 30) lowest++;
    expect(Math.abs(lowest - 10_000)).toBeLessThan(410);
  });

  test("gaussians have the moments of a standard normal", () => {
    const drawn = random();
    const moments = [0, 0, 0, 0];
    const draws = 100_000;
    for (let i = 0; i < draws; i++) {
      const x = drawn.nextGaussian();
      for (let power = 0; power < 4; power++) moments[power] += x ** (power + 1) / draws;
    }
    // Five standard errors of each moment.
    expect(Math.abs(moments[0])).toBeLessThan(0.016);
    expect(Math.abs(moments[1] - 1)).toBeLessThan(0.023);
    expect(Math.abs(moments[2])).toBeLessThan(0.062);
    expect(Math.abs(moments[3] - 3)).toBeLessThan(0.16);
  });

  test("every order of a shuffle is as likely", () => {
    const drawn = random();
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = drawn.shuffle([0, 1, 2, 3]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    // 23 degrees of freedom: 55 has a chance of about 2e-4.
    expect(chiSquared([...counts.values()])).toBeLessThan(55);
  });

  test("a shuffle keeps what it shuffles", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
        const shuffled = new CounterRandom(deriveKey(seed)).shuffle([...items]);
        expect(shuffled.sort((a, b) => a - b)).toEqual([...items].sort((a, b) => a - b));
      }),
    );
  });
});
