import { describe, expect, it } from "vitest";
import type { GateContext, ObservedField } from "./gates/gate.ts";
import { select } from "./select.ts";
import { skillSchema } from "./skills/skill.ts";

const skill = skillSchema.parse({
  slug: "test",
  title: "Test",
  description: "For tests.",
  document_types: ["test"],
  vocabulary: [],
  fields: [],
  avoid: [],
});
const context: GateContext = {
  request: { useCase: "Compare.", skill, maxQuestions: 25 },
  documents: [],
  isHeld: [],
};

/** Answers with the document's number times ten where it has one. */
function field(name: string, documents: readonly number[], relevance: number, weight = 0) {
  const answers = Array.from({ length: 12 }, (_, n) =>
    documents.includes(n)
      ? {
          value: 10 * n,
          unit: null,
          confidence: 1,
          page: 1,
          span: { text: "", start: 0, end: 1, box: null },
        }
      : null,
  );
  const proposal: ObservedField["proposal"] = {
    origin: "label",
    name,
    labels: [name],
    kind: "money",
    unit: null,
    enum: [],
    multiple: false,
    question: null,
    serves: [],
    weight,
    locators: [],
    sightings: [],
  };
  return { proposal, relevance, isAsked: false, isNamed: false, answers };
}

const ALL = Array.from({ length: 12 }, (_, n) => n);
const keptOf = (fields: readonly ObservedField[]): string[] =>
  select(fields, [], context).kept.map(({ field: { proposal } }) => proposal.name);

describe("of two fields that give the same values", () => {
  it("the one is asked that far more documents answer, though the other matters more", () => {
    const fields = [field("narrow", [0, 1, 2], 0.5), field("wide", ALL, 0.1)];
    expect(keptOf(fields)).toEqual(["wide"]);
    const { rejected } = select(fields, [], context);
    expect(rejected.map(({ reason }) => reason)).toEqual([
      "redundancy: wide is answered by more documents",
    ]);
  });

  it("the one that matters more is asked where about as many answer it, or a skill asks for it", () => {
    expect(keptOf([field("narrow", ALL.slice(4), 0.5), field("wide", ALL, 0.1)])).toEqual([
      "narrow",
    ]);
    expect(keptOf([field("narrow", [0, 1, 2], 0.5, 0.5), field("wide", ALL, 0.1)])).toEqual([
      "narrow",
    ]);
  });

  it("both stay that one wide field would take the place of", () => {
    const fields = [
      field("one", [0, 1, 2], 0.5),
      field("other", [3, 4, 5], 0.4),
      field("wide", ALL, 0.1),
    ];
    expect(keptOf(fields)).toEqual(["one", "other"]);
  });
});
