import { describe, expect, it } from "vitest";
import { skillSchema } from "../skills/skill.ts";
import { contentWords, stem } from "../words/content-words.ts";
import { isKnownWord, wordSimilarity } from "../words/word-vectors.ts";
import { RelevanceJudge } from "./relevance.ts";

const skill = skillSchema.parse({
  slug: "receipt",
  title: "Receipts",
  description: "For tests.",
  document_types: ["receipt"],
  vocabulary: ["cashier"],
  fields: [],
  avoid: [],
});
const field = (name: string, serves: readonly string[] = [], weight = 0) => ({
  name,
  labels: [],
  serves,
  weight,
});

describe("relevance", () => {
  const judge = new RelevanceJudge({
    useCase: "Forecast the total expenditure on receipts.",
    skill,
    maxQuestions: 25,
  });

  it("is highest where the use case names the field, high where it means it", () => {
    const [total, spending, address] = ["total", "spending", "address"].map((name) =>
      judge.judge(field(name)),
    );
    expect(total!.isAsked).toBe(true);
    expect(total!.score).toBeGreaterThan(spending!.score);
    expect(spending!.score).toBeGreaterThan(address!.score);
    expect(address!.isAsked).toBe(false);
  });

  it("does not count the words of the kind of document", () => {
    expect(judge.judge(field("receipt"))).toMatchObject({ score: 0, isAsked: false });
  });

  it("counts what a field serves, the skill's weight and its vocabulary", () => {
    expect(judge.judge(field("tax", ["expenditure"])).score).toBeGreaterThan(
      judge.judge(field("tax")).score,
    );
    expect(judge.judge(field("tax", [], 1)).score).toBeGreaterThan(judge.judge(field("tax")).score);
    expect(judge.judge(field("cashier")).score).toBeGreaterThan(judge.judge(field("xyz")).score);
  });
});

describe("words", () => {
  it("are nearer where they mean the same", () => {
    const near = (a: string, b: string): number => wordSimilarity(a, b)!;
    expect(near("company", "firm")).toBeGreaterThan(near("company", "total"));
    expect(near("price", "cost")).toBeGreaterThan(near("price", "doctor"));
    expect(near("date", "date")).toBe(1);
    expect(near("price", "cost")).toBe(near("cost", "price"));
    expect(wordSimilarity("price", "qqqqq")).toBeNull();
    expect(isKnownWord("invoice")).toBe(true);
  });

  it("come down to a stem without the words that hold others together", () => {
    expect(contentWords("The total of all Parties, in EUR")).toEqual(["total", "parties", "eur"]);
    expect(["parties", "taxes", "status", "addresses", "dates"].map(stem)).toEqual([
      "party",
      "taxe",
      "status",
      "address",
      "date",
    ]);
  });
});

describe("what a use case names", () => {
  const judge = new RelevanceJudge({
    useCase: "Index decisions: judge, defendant, hearing date and costs.",
    skill,
    maxQuestions: 25,
  });

  it("is told apart, and found among a sentence's words", () => {
    expect(judge.tellsApart("Judge", "Defendant")).toBe(true);
    expect(judge.tellsApart("Judge", "The judge")).toBe(false);
    expect(judge.tellsApart("Judge", "Bench")).toBe(false);
    expect(judge.nameWithin("pay costs in the sum")).toBe("costs");
    expect(judge.nameWithin("came on for hearing")).toBeNull();
  });
});
