import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  base62,
  createApiKey,
  formatApiKey,
  hashApiKey,
  isWellFormedApiKey,
  visiblePrefix,
} from "./api-key.ts";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("API keys", () => {
  it("have the form dk_ + 49 base62 digits, one for each secret", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const key = formatApiKey(a);
        expect(key).toMatch(/^dk_[0-9A-Za-z]{49}$/);
        expect(isWellFormedApiKey(key)).toBe(true);
        expect(formatApiKey(b) === key).toBe(Buffer.from(a).equals(Buffer.from(b)));
      }),
    );
    expect(formatApiKey(new Uint8Array(32))).toMatch(/^dk_0{43}/);
    expect(createApiKey()).not.toBe(createApiKey());
  });

  it("betray any single wrong character", () => {
    fc.assert(
      fc.property(bytes, fc.nat(51), fc.constantFrom(..."09azAZ"), (secret, at, letter) => {
        const key = formatApiKey(secret);
        const typed = key.slice(0, at) + letter + key.slice(at + 1);
        expect(isWellFormedApiKey(typed)).toBe(typed === key);
      }),
    );
    expect(isWellFormedApiKey("dk_short")).toBe(false);
    expect(isWellFormedApiKey(`${createApiKey()}0`)).toBe(false);
  });

  it("are stored as SHA-256 and shown by nine characters", () => {
    expect(hashApiKey("abc").toString("hex")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    const key = createApiKey();
    expect(visiblePrefix(key)).toBe(key.slice(0, 9));
    expect(visiblePrefix("an operator's own key")).toBe("");
  });

  it("base62 counts as any base does", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (value) => {
        const read = [...base62(value, 1)].reduce(
          (sum, digit) =>
            sum * 62n +
            BigInt("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".indexOf(digit)),
          0n,
        );
        expect(read).toBe(value);
      }),
    );
  });
});
