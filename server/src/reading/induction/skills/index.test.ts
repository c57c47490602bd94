import { describe, expect, test } from "vitest";
import { compilePattern } from "../locators/phrase-pattern.ts";
import { listSkills, skillBySlug } from "./index.ts";

describe("skills", () => {
  const skills = listSkills();
  const named = skills.map((skill) => [skill.slug, skill] as const);

  test("are found by their slugs and are the same object each time", () => {
    expect(skillBySlug("general")?.slug).toBe("general");
    expect(skillBySlug("contract")).toBe(skillBySlug("contract"));
    expect(skillBySlug("nothing-of-the-kind")).toBeNull();
  });

  test.each(named)("%s names each field once", (_, { fields }) => {
    const ids = fields.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test.each(named)("%s asks whole questions", (_, { fields }) => {
    for (const { question } of fields) expect(question).toMatch(/^[A-Z].*\?$/);
  });

  test.each(named)("%s has patterns that compile", (_, { fields }) => {
    for (const { kind, locators } of fields) {
      for (const locator of locators) {
        if (locator.kind === "phrase") {
          for (const pattern of locator.patterns) {
            expect(compilePattern(pattern).hasSlot).toBe(locator.says === undefined);
          }
        } else if (locator.kind === "presence") {
          expect(kind).toBe("boolean");
          for (const pattern of [...locator.patterns, ...locator.except]) {
            expect(compilePattern(pattern).hasSlot).toBe(false);
          }
        }
      }
    }
  });
});
