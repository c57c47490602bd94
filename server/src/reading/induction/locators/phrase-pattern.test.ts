import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compilePattern,
  type PatternNode,
  type PatternSequence,
  parsePattern,
  runAutomaton,
} from "./phrase-pattern.ts";

/** All places where the sequence can end that begins at `at`: the definition, by trying everything. */
function endsOf(sequence: PatternSequence, words: readonly string[], at: number): Set<number> {
  const [node, ...rest] = sequence;
  if (node === undefined) return new Set([at]);
  const ends = new Set<number>();
  for (const middle of endsOfNode(node, words, at)) {
    for (const end of endsOf(rest, words, middle)) ends.add(end);
  }
  return ends;
}

function endsOfNode(node: PatternNode, words: readonly string[], at: number): number[] {
  const word = words[at];
  switch (node.kind) {
    case "word":
      return word === node.word ? [at + 1] : [];
    case "prefix":
      return word?.startsWith(node.word) ? [at + 1] : [];
    case "number":
      return word !== undefined && /^\d/.test(word) ? [at + 1] : [];
    case "gap":
      return Array.from({ length: Math.min(node.most, words.length - at) + 1 }, (_, n) => at + n);
    case "choice": {
      const ends = new Set(node.optional ? [at] : []);
      for (const option of node.options) {
        for (const end of endsOf(option, words, at)) ends.add(end);
      }
      return [...ends];
    }
  }
}

const letter = fc.constantFrom("a", "b", "c", "ab", "1");
const { sequence } = fc.letrec<{ sequence: string; item: string }>((tie) => ({
  sequence: fc.array(tie("item"), { minLength: 1, maxLength: 3 }).map((items) => items.join(" ")),
  item: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom("a", "b", "c", "a*", "#", "...1", "...3"),
    fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((some) => `(${some.join("|")})`),
    fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((some) => `[${some.join("|")}]`),
  ),
}));

describe("a phrase's automaton", () => {
  test("finds the ends that trying everything finds, each with its nearest beginning", () => {
    fc.assert(
      fc.property(sequence, fc.array(letter, { maxLength: 12 }), (pattern, words) => {
        const { before } = parsePattern(pattern);
        const expected = new Map<number, number>();
        for (let begin = 0; begin <= words.length; begin++) {
          for (const end of endsOf(before, words, begin)) expected.set(end, begin);
        }
        const found = new Map<number, number>();
        const range = { from: 0, to: words.length };
        runAutomaton(compilePattern(pattern).before!, words, range, 1, (begin, end) => {
          found.set(end, begin);
        });
        expect([...found].sort()).toEqual([...expected].sort());
      }),
      { numRuns: 400 },
    );
  });

  test("backward, finds where what follows the slot begins", () => {
    fc.assert(
      fc.property(sequence, fc.array(letter, { maxLength: 10 }), (pattern, words) => {
        const { after } = parsePattern(`x {value} ${pattern}`);
        const expected = words
          .map((_, begin) => begin)
          .concat(words.length)
          .filter((begin) => endsOf(after!, words, begin).size > 0);
        const found: number[] = [];
        const automaton = compilePattern(`x {value} ${pattern}`).after!;
        runAutomaton(automaton, words, { from: 0, to: words.length }, -1, (_, end) => {
          found.push(end);
        });
        expect(found.sort((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  test("only looks within its range", () => {
    const found: number[][] = [];
    const { before } = compilePattern("a ... b");
    const words = ["a", "b", "a", "x", "b", "b"];
    runAutomaton(before!, words, { from: 1, to: 5 }, 1, (begin, end) => found.push([begin, end]));
    expect(found).toEqual([[2, 5]]);
  });

  // What backtracking takes exponential or quadratic time for; here words × states, whatever they are.
  test.each([
    ["(a|a a|a a a) (a|a a) (a|a a) ...40 ...40 ...40 b"],
    ["[a] [a] [a] [a] [a] [a] [a] [a] a a a a a a a a b"],
    ["(a|(a|(a|(a ...8 a)))) ...40 (b|a b|a a b)"],
  ])("reads hostile words for %s in steps that its length bounds", (pattern) => {
    const automaton = compilePattern(pattern).before!;
    let steps = 0;
    const words = new Proxy(Array<string>(60_000).fill("a"), {
      get(target, key, receiver) {
        steps += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    let matches = 0;
    runAutomaton(automaton, words, { from: 0, to: words.length }, 1, () => {
      matches += 1;
    });
    expect(matches).toBe(0);
    expect(steps).toBeLessThanOrEqual(words.length + 2);
  });
});

describe("a pattern", () => {
  test("is its words, folded as the documents' are", () => {
    expect(parsePattern("Non-Compete party’s Année").before).toEqual(
      ["non", "compete", "party", "annee"].map((word) => ({ kind: "word", word })),
    );
  });

  test("tells which words a sentence must hold", () => {
    expect(compilePattern("the (laws|law of) [some] {value} ... govern* x").needs).toEqual([
      ["the"],
      ["laws", "law"],
      ["x"],
    ]);
  });

  test.each([
    ["", "no words"],
    ["(a|b", "not closed"],
    ["a)", "nothing opens"],
    ["(a]", "closed by"],
    ["()", "nothing in them"],
    ["a (b {value})", "in brackets"],
    ["{value} of {value}", "twice"],
    ["of {date}", "only slot"],
    ["a ...99 b", "1 to 60"],
    [`${"(".repeat(30)}a${")".repeat(30)}`, "deep"],
    [Array(60).fill("...40").join(" a "), "too long"],
  ])("that is %j is refused, and told why", (pattern, why) => {
    expect(() => compilePattern(pattern)).toThrow(`pattern "${pattern}"`);
    expect(() => compilePattern(pattern)).toThrow(why);
  });
});
