import { describe, expect, it } from "vitest";
import type { Answer } from "../extract.ts";
import type { Proposal, SampleDocument } from "../inducer.ts";
import { skillSchema } from "../skills/skill.ts";
import type { Normal } from "../values/value.ts";
import { binomialTail, coverageGate, upperBound } from "./coverage.ts";
import { enumeration } from "./enumeration.ts";
import type { GateContext, ObservedField } from "./gate.ts";
import { identifyingGate } from "./identifying.ts";
import { leakageGate } from "./leakage.ts";
import { redundancy } from "./redundancy.ts";
import { voteUnit } from "./unit.ts";
import { varietyGate } from "./variety.ts";

const skill = skillSchema.parse({
  slug: "test",
  title: "Test",
  description: "For tests.",
  document_types: ["test"],
  vocabulary: ["warranty"],
  fields: [],
  avoid: [],
});

function answer(value: Normal, unit: string | null = null): Answer {
  const span = { text: String(value), start: 0, end: 1, box: null };
  return { value, unit, confidence: 1, page: 1, span };
}

function field(values: readonly (Normal | null)[], change: Partial<Proposal> = {}): ObservedField {
  const proposal: Proposal = {
    origin: "label",
    name: "field",
    labels: [],
    kind: "text",
    unit: null,
    enum: [],
    multiple: false,
    question: null,
    serves: [],
    weight: 0,
    locators: [],
    sightings: [],
    ...change,
  };
  const answers = values.map((value) => (value === null ? null : answer(value)));
  return { proposal, relevance: 0, isAsked: false, isNamed: false, answers };
}

function context(size: number, texts: readonly string[] = []): GateContext {
  const documents = Array.from(
    { length: size },
    (_, index): SampleDocument => ({
      id: String(index),
      name: "a.txt",
      hash: String(index),
      content: { text: texts[index] ?? "", lines: [], pages: 1 },
    }),
  );
  const isHeld = documents.map((_, index) => index % 2 === 0);
  return { request: { useCase: "tests", skill, maxQuestions: 25 }, documents, isHeld };
}

const presence = {
  kind: "boolean",
  locators: [{ trust: 1, locator: { kind: "presence", patterns: ["x"], except: [] } }],
} as const satisfies Partial<Proposal>;

function times<Value>(count: number, value: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => value(index));
}

describe("coverage", () => {
  it("is asked of the documents that were held out", () => {
    const half = times(40, (i) => (i % 2 === 0 ? "said" : null));
    expect(coverageGate(field(half), context(40))).toMatchObject({ passed: true, score: 1 });
    const other = times(40, (i) => (i % 2 === 1 ? "said" : null));
    expect(coverageGate(field(other), context(40))).toMatchObject({ passed: false, score: 0 });
  });

  it("may be lower where the skill or the use case asks, and says so", () => {
    const third = times(40, (i) => (i % 3 === 0 ? "said" : null));
    expect(coverageGate(field(third), context(40)).passed).toBe(false);
    const central = coverageGate(field(third, { weight: 0.9 }), context(40));
    expect(central.passed).toBe(true);
    expect(central.note).toContain("justified");
    const asked = { ...field(third), isAsked: true };
    expect(coverageGate(asked, context(40)).note).toContain("use case");
  });

  it("leaves for last what has a label in some of the documents", () => {
    const third = times(12, (i) => (i % 3 === 0 ? "said" : null));
    const labelled = field(third, { labels: ["Field"] });
    expect(coverageGate(labelled, context(12))).toMatchObject({ passed: true, isSpare: true });
    expect(coverageGate(field(third, { origin: "phrase" }), context(12)).passed).toBe(false);
    const told = times(12, (i) => (i % 2 === 0 ? "said" : null));
    const sentence = coverageGate(field(told, { origin: "phrase" }), context(12));
    expect(sentence).toMatchObject({ passed: true });
    const rare = times(20, (i) => (i % 7 === 0 ? "said" : null));
    expect(coverageGate(field(rare, { labels: ["Field"] }), context(20)).passed).toBe(false);
  });

  it("never passes what one document alone states", () => {
    const once = times(10, (i) => (i === 0 ? "said" : null));
    expect(coverageGate(field(once, { weight: 1 }), context(10)).passed).toBe(false);
  });

  it("counts a clause by the documents that have it", () => {
    const rare = field(
      times(60, (i) => i < 2),
      presence,
    );
    expect(coverageGate(rare, context(60)).passed).toBe(false);
    const common = field(
      times(60, (i) => i < 20),
      presence,
    );
    expect(coverageGate(common, context(60)).passed).toBe(true);
  });

  it("rests on the figures of SciPy", () => {
    // binom.cdf(k, n, 0.6), and binomtest(3, 10).proportion_ci(0.8, method="wilson").high.
    expect(binomialTail(1, 3, 0.6)).toBeCloseTo(0.352, 9);
    expect(binomialTail(10, 38, 0.6)).toBeCloseTo(2.6469097448220534e-5, 15);
    expect(upperBound(3, 10)).toBeCloseTo(0.502628, 4);
  });
});

describe("variety", () => {
  it("refuses what is the same everywhere, or almost", () => {
    expect(varietyGate(field(times(30, () => "x")), context(30)).passed).toBe(false);
    const almost = times(200, (i) => (i === 0 ? "y" : "x"));
    expect(varietyGate(field(almost), context(200)).passed).toBe(false);
    expect(varietyGate(field(times(30, (i) => i % 3)), context(30)).passed).toBe(true);
  });

  it("cannot be judged by three documents", () => {
    const three = field(times(3, () => "x"));
    expect(varietyGate(three, context(3))).toMatchObject({ passed: true, score: 0 });
    expect(varietyGate(field(times(4, () => "x")), context(4)).passed).toBe(false);
    const rare = times(9, (i) => (i < 2 ? "x" : null));
    expect(varietyGate(field(rare), context(9)).passed).toBe(false);
  });

  it("takes a text that was read in several ways for one", () => {
    const read = ["Department of Justice", "Departmcnt of Justice", "Department of justlce"];
    const text = field(times(30, (i) => read[i % 3]!));
    expect(varietyGate(text, context(30)).passed).toBe(false);
  });

  it("calls no clause constant by a few documents", () => {
    const few = field(
      times(14, () => true),
      presence,
    );
    expect(varietyGate(few, context(14)).note).toContain("justified");
    const many = field(
      times(40, () => true),
      presence,
    );
    expect(varietyGate(many, context(40)).passed).toBe(false);
  });
});

describe("identifying", () => {
  it("leaves codes and texts that differ everywhere for last, unless they are asked for", () => {
    const values = times(20, (i) => `value ${i}`);
    for (const kind of ["identifier", "text", "organization"] as const) {
      const phrase = field(values, { kind, origin: "phrase" });
      expect(identifyingGate(phrase, context(20)).passed).toBe(kind !== "text");
      const labelled = field(values, { kind, labels: ["Field"] });
      expect(identifyingGate(labelled, context(20))).toMatchObject({ passed: true, isSpare: true });
      const wanted = field(values, { kind, weight: 0.8 });
      expect(identifyingGate(wanted, context(20)).passed).toBe(true);
    }
    expect(
      identifyingGate(
        field(
          times(20, (i) => i),
          { kind: "money" },
        ),
        context(20),
      ).passed,
    ).toBe(true);
    const repeated = field(times(20, (i) => `value ${i % 5}`));
    expect(identifyingGate(repeated, context(20)).passed).toBe(true);
  });
});

describe("redundancy", () => {
  it("is the share of equal values", () => {
    const dates = times(10, (i) => `2020-01-0${i}`);
    const other = dates.map((date, i) => (i < 5 ? date : "2019-01-01"));
    expect(redundancy(field(dates), field(dates))).toBe(1);
    expect(redundancy(field(dates), field(other))).toBe(0.5);
  });

  it("is no matter of columns whose values hardly repeat", () => {
    const left = times(40, (i) => `a${i}`);
    const right = times(40, (i) => `b${i}`);
    expect(redundancy(field(left), field(right))).toBe(0);
  });

  it("sees one column behind another", () => {
    const left = times(60, (i) => `a${i % 3}`);
    const right = times(60, (i) => `b${(i + 1) % 3}`);
    expect(redundancy(field(left), field(right))).toBe(1);
    const unrelated = times(60, (i) => `b${Math.floor(i / 3) % 2}`);
    expect(redundancy(field(left), field(unrelated))).toBeLessThan(0.1);
  });

  it("does not make one of two fields of a skill by a few documents", () => {
    const few = times(6, (i) => `2020-01-0${i}`);
    expect(redundancy(field(few, { weight: 1 }), field(few, { weight: 0.8 }))).toBe(0);
  });
});

describe("leakage", () => {
  const texts = ["warranty of Brixton Mills", "warranty", "warranty"];
  it("refuses wording with a word of one document's value", () => {
    const values = ["Brixton Mills", "x", "y"];
    const leaking = leakageGate("What does Brixton promise?")(field(values), context(3, texts));
    expect(leaking.passed).toBe(false);
    expect(leaking.note).not.toContain("Brixton");
    expect(leakageGate("What is the warranty?")(field(values), context(3, texts)).passed).toBe(
      true,
    );
  });

  it("allows the words of skill and documents' shared labels", () => {
    const values = ["warranty", "x", "y"];
    expect(leakageGate("What is the warranty?")(field(values), context(3, texts)).passed).toBe(
      true,
    );
  });
});

describe("enumeration and unit", () => {
  it("closes a question whose few answers each come three times", () => {
    const often = ["a", "b", "a", "b", "a", "b", "a"];
    expect(enumeration(often.map((v) => answer(v)))).toEqual(["a", "b"]);
    // One that is as rare as b would be missed by one sample in eight.
    expect(enumeration(["a", "b", "a", "b", "a"].map((v) => answer(v)))).toEqual([]);
    expect(enumeration(["a", "a", "a"].map((v) => answer(v)))).toEqual([]);
    expect(enumeration(times(30, (i) => answer(i < 2 ? "a" : "b")))).toEqual(["b", "a"]);
    expect(enumeration(times(27, (i) => answer(`v${i % 9}`)))).toEqual([]);
    expect(enumeration(times(24, (i) => answer(`v${i % 8}`)))).toHaveLength(8);
    expect(enumeration(times(8, (i) => answer(i % 2)))).toEqual([]);
    const spelled = ["passed", "failed", "PASSED", "FAILED", "FAILED", "passed"];
    expect(enumeration(spelled.map((v) => answer(v)))).toEqual(["FAILED", "passed"]);
  });

  it("names a unit that 80 % are in", () => {
    const of = (euros: number, dollars: number) =>
      voteUnit([
        ...times(euros, () => answer(1, "EUR")),
        ...times(dollars, () => answer(1, "USD")),
      ]);
    expect(of(8, 2)).toEqual({ unit: "EUR", majority: 0.8 });
    expect(of(7, 3).unit).toBeNull();
    expect(voteUnit([answer(1), null])).toEqual({ unit: null, majority: null });
  });
});
