import type { Task } from "@distillery/engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerFault, excerpt, readAnswer } from "./answer.ts";

const regression: Task = { kind: "regression", classes: [] };
const binclass: Task = { kind: "binclass", classes: ["no", "yes"] };
const multiclass: Task = { kind: "multiclass", classes: ["a", "b", "c"] };

const read = (answer: unknown, samples: number, task: Task): number[] =>
  Array.from(readAnswer(JSON.stringify(answer), samples, task));

describe("what a teacher may answer", () => {
  it("numbers for regression, in an object, a list, or lists of one", () => {
    expect(read({ predictions: [1, -2.5] }, 2, regression)).toEqual([1, -2.5]);
    expect(read([1, -2.5], 2, regression)).toEqual([1, -2.5]);
    expect(read([[1], [-2.5]], 2, regression)).toEqual([1, -2.5]);
    expect(read({ predictions: [3], classes: null, model: "x" }, 1, regression)).toEqual([3]);
  });

  it("one probability of the second class, or both, by the order of its classes", () => {
    expect(read([0.25, 1], 2, binclass)).toEqual([0.25, 1]);
    expect(read([[0.75, 0.25]], 1, binclass)).toEqual([0.25]);
    expect(read({ predictions: [0.25], classes: ["yes", "no"] }, 1, binclass)).toEqual([0.75]);
    expect(read({ predictions: [[0.75, 0.25]], classes: ["yes", "no"] }, 1, binclass)).toEqual([
      0.75,
    ]);
  });

  it("labels that are numbers or booleans name classes as their texts do", () => {
    const task: Task = { kind: "binclass", classes: ["0", "1"] };
    expect(read({ predictions: [[0.75, 0.25]], classes: [1, 0] }, 1, task)).toEqual([0.75]);
  });

  it("probabilities in any order of classes come back in the task's", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 3, maxLength: 3 }), {
          minLength: 1,
        }),
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
        (counts, order) => {
          const rows = counts.map((row) => row.map((one) => one / (row[0] + row[1] + row[2])));
          const sent = {
            predictions: rows.map((row) => order.map((k) => row[k])),
            classes: order.map((k) => multiclass.classes[k]),
          };
          const got = read(sent, rows.length, multiclass);
          for (const [at, value] of rows.flat().entries()) expect(got[at]).toBeCloseTo(value, 12);
        },
      ),
    );
  });

  it("rounded probabilities are made to sum to 1", () => {
    const got = read([[0.333, 0.333, 0.333]], 1, multiclass);
    expect(got.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 12);
  });
});

describe("what it may not", () => {
  const faults: [string, string, Task, number | null, RegExp][] = [
    ["an HTML page", "<html><body>oops</body></html>", regression, null, /not JSON: '<html>/],
    ["nothing", "", regression, null, /not JSON: it is empty/],
    ["a text", '"hello"', regression, null, /must be .*list, but is 'hello'/],
    ["null", "null", regression, null, /must be/],
    ["another object", '{"result":[1,2]}', regression, null, /has the members 'result'/],
    ["an object of predictions", '{"predictions":{"0":1}}', regression, null, /but are an object/],
    ["too few", "[1]", regression, null, /1 prediction for 2 samples/],
    ["too many", "[1,2,3]", regression, null, /3 predictions for 2 samples/],
    ["NaN", "[1,NaN]", regression, 1, /null \(or NaN\)/],
    ["Infinity", '{"predictions": [ -Infinity, 2]}', regression, 0, /null \(or NaN\)/],
    ["null for a number", "[1,null]", regression, 1, /finite number, but is null/],
    ["a text for a number", '["1",2]', regression, 0, /finite number, but is '1'/],
    ["two numbers for a value", "[[1,2],[3,4]]", regression, 0, /a list of 2/],
    ["a number beyond doubles", "[1e999,1]", regression, 0, /Infinity/],
    ["a probability above 1", "[0.5,1.5]", binclass, 1, /from 0 to 1, but is 1.5/],
    ["a probability below 0", "[[1.2,-0.2],[0,1]]", binclass, 0, /1.2/],
    ["a label", '["yes","no"]', binclass, 0, /a probability, or a list of 2.*'yes'/],
    ["probabilities that sum to 0.8", "[[0.5,0.5],[0.5,0.3]]", binclass, 1, /sum to 0.8/],
    ["all zero", "[[0,0],[1,0]]", binclass, 0, /sum to 0 /],
    ["a number for classes", "[0,1]", multiclass, 0, /a list of 3 class probabilities/],
    ["two for three", "[[0.5,0.5],[1,0]]", multiclass, 0, /2 probabilities for 3 classes/],
    [
      "an unknown class",
      '{"predictions":[[1,0,0],[1,0,0]],"classes":["a","b","z"]}',
      multiclass,
      null,
      /the class 'z', which the label does not have; it has 'a', 'b', 'c'/,
    ],
    [
      "a class too few",
      '{"predictions":[[1,0],[1,0]],"classes":["a","b"]}',
      multiclass,
      null,
      /lack 'c'/,
    ],
    [
      "a class twice",
      '{"predictions":[[1,0,0,0],[1,0,0,0]],"classes":["a","b","c","a"]}',
      multiclass,
      null,
      /twice/,
    ],
    ["classes of objects", '{"predictions":[1,1],"classes":[{},{}]}', binclass, null, /labels/],
    ["classes in a text", '{"predictions":[1,1],"classes":"ab"}', binclass, null, /a list/],
  ];
  it.each(faults)("%s", (_, text, task, sample, message) => {
    let fault: unknown;
    try {
      readAnswer(text, 2, task);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(AnswerFault);
    if (!(fault instanceof AnswerFault)) return;
    expect(fault.message).toMatch(message);
    expect(fault.sample).toBe(sample);
  });

  it("whatever comes, it is read or refused with a short sentence of one line", () => {
    const task = fc.constantFrom(regression, binclass, multiclass);
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.string({ unit: "grapheme-ascii", maxLength: 150 }),
    );
    fc.assert(
      fc.property(text, task, fc.integer({ min: 1, max: 4 }), (body, kind, samples) => {
        try {
          const values = readAnswer(body, samples, kind);
          expect(values.every(Number.isFinite)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerFault);
          expect(String(error).length).toBeLessThan(2000);
          expect(String(error)).not.toMatch(/\p{C}/u);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it("reads a large answer of blanks in a moment", () => {
  // A pattern that looks back over blanks from each of them would take minutes.
  const blanks = `[${" ".repeat(400_000)}oops`;
  expect(() => readAnswer(blanks, 1, regression)).toThrow(/not JSON: '\[ oops'|not JSON: '\[…/);
});

it("an excerpt is short and of one line", () => {
  expect(excerpt("a\n\tb\u0000c")).toBe("'a b c'");
  expect(excerpt("x".repeat(1000))).toBe(`'${"x".repeat(120)}…'`);
});
