/** What is learned of documents of which no skill knows anything. */

import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { induce } from "../induce.ts";
import type { SampleDocument } from "../inducer.ts";
import { skillBySlug } from "../skills/index.ts";
import { EmbeddedInducer } from "./embedded-inducer.ts";

const signal = new AbortController().signal;

async function questionsOf(slug: string, texts: readonly string[]) {
  const skill = skillBySlug(slug);
  if (skill === null || skill === undefined) throw new Error(`no skill ${slug}`);
  const sample = texts.map((text, index): SampleDocument => {
    const id = String(index).padStart(3, "0");
    return { id, name: `${id}.txt`, hash: id, content: documentText(parseText("a.txt", text)) };
  });
  const request = { useCase: "Predict the outcome.", skill, maxQuestions: 25 };
  const { schema } = await induce(sample, request, new EmbeddedInducer(), { signal });
  return new Map(schema.questions.map((question) => [question.id, question]));
}

const pick = <Value>(values: readonly Value[], index: number): Value =>
  values[index % values.length]!;

describe("documents of an unknown kind", () => {
  it("in another language: labels with colons and with gaps, words, amounts, yes and no", async () => {
    const questions = await questionsOf(
      "form",
      Array.from({ length: 16 }, (_, i) =>
        [
          "SCHADENMELDUNG",
          "",
          `Schadendatum: ${1 + i}.05.2023`,
          `Schadenart: ${pick(["Hagel", "Unfall", "Diebstahl"], i)}`,
          `Geschätzte Schadenhöhe: ${i + 2}.${100 + 7 * i},50 EUR`,
          `Fahrzeugtyp          ${pick(["Kombi", "Limousine"], i)}`,
          `Kilometerstand       ${10 + i}.${200 + 13 * i} km`,
          `Polizei verständigt: ${pick(["ja", "nein", "nein"], i)}`,
        ].join("\n"),
      ),
    );
    expect([...questions.keys()].sort()).toEqual([
      "fahrzeugtyp",
      "geschatzte_schadenhohe",
      "kilometerstand",
      "polizei_verstandigt",
      "schadenart",
      "schadendatum",
    ]);
    expect(questions.get("schadenart")?.enum.toSorted()).toEqual(["Diebstahl", "Hagel", "Unfall"]);
    expect(questions.get("geschatzte_schadenhohe")?.unit).toBe("EUR");
    expect(questions.get("kilometerstand")?.unit).toBe("km");
  });

  it("ask for what the document calls a date, not for the skill's date of the document", async () => {
    const questions = await questionsOf(
      "general",
      Array.from({ length: 12 }, (_, i) =>
        [
          `Location: ${pick(["Leeds", "Paris", "Berlin"], i)}`,
          `Salary: £${30 + i},000 per year`,
          `Closing date: ${10 + i}/05/2025`,
        ].join("\n"),
      ),
    );
    expect([...questions.keys()].sort()).toEqual(["closing_date", "location", "salary"]);
    expect(questions.get("salary")?.unit).toBe("GBP");
  });
});
