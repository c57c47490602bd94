import { expect, test } from "vitest";
import { type Skill, skillSchema } from "../skills/skill.ts";
import { isSameWord, namedThings } from "./named-things.ts";

const skill: Skill = skillSchema.parse({
  slug: "accident",
  title: "Accident report",
  description: "For tests.",
  document_types: ["accident report"],
  vocabulary: [],
  fields: [],
  avoid: [],
});

const named = (useCase: string) =>
  namedThings({ useCase, skill, maxQuestions: 25 }).map(({ words }) => words.join(" "));

test.each([
  [
    "Predict injuries and aircraft damage from the light, the operator and who reported it.",
    ["injuries", "aircraft damage", "light", "operator", "reported"],
  ],
  ["Assess the type of the incident in accident reports.", ["type incident"]],
  ["Vorhersage der Freigabe nach Probenart und pH-Wert", ["freigabe", "probenart", "ph wert"]],
  ["Prévoir la décision selon le motif et l'âge.", ["décision", "motif", "âge"]],
  ["", []],
])("things of %j", (useCase, things) => {
  expect(named(useCase)).toEqual(things);
});

test("words are one in both numbers, and no others", () => {
  expect(isSameWord("injury", "injuries")).toBe(true);
  expect(isSameWord("Proben".toLowerCase(), "probe")).toBe(true);
  expect(isSameWord("date", "data")).toBe(false);
  expect(isSameWord("cat", "cart")).toBe(false);
});
