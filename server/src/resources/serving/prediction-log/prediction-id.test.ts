import fc from "fast-check";
import { expect, test } from "vitest";
import { newPredictionId, readPredictionId } from "./prediction-id.ts";

const key = new Uint8Array(32).fill(7);
const other = new Uint8Array(32).fill(8);
const ENDPOINT = "00000000-0000-4000-8000-000000000001";

const predicted = fc.record({
  time: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  rows: fc.integer({ min: 0, max: 1_000_000 }),
});

test("an id says what it was made of, under any of the keys", () => {
  fc.assert(
    fc.property(predicted, (of) => {
      const id = newPredictionId(key, ENDPOINT, of);
      expect(readPredictionId([other, key], ENDPOINT, id)).toEqual(of);
      expect(newPredictionId(key, ENDPOINT, of)).not.toBe(id);
    }),
  );
});

test("no other text is an id, nor is one of another endpoint or key", () => {
  fc.assert(
    fc.property(predicted, fc.nat({ max: 31 }), fc.constantFrom(..."Az09-_!"), (of, at, letter) => {
      const id = newPredictionId(key, ENDPOINT, of);
      fc.pre(id[at] !== letter);
      expect(
        readPredictionId([key], ENDPOINT, id.slice(0, at) + letter + id.slice(at + 1)),
      ).toBeNull();
      expect(readPredictionId([other], ENDPOINT, id)).toBeNull();
      expect(readPredictionId([key], ENDPOINT.replace("1", "2"), id)).toBeNull();
      expect(readPredictionId([key], ENDPOINT, id.slice(1))).toBeNull();
    }),
  );
});
