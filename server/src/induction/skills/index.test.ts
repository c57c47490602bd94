import { describe, expect, test } from "vitest";
import { listSkills, skillBySlug } from "./index.ts";

describe("skills", () => {
  const skills = listSkills();

  test("are found by their slugs and are the same object each time", () => {
    expect(skillBySlug("general")?.slug).toBe("general");
    expect(skillBySlug("contract")).toBe(skillBySlug("contract"));
    expect(skillBySlug("nothing-of-the-kind")).toBeNull();
  });

  test.each(skills.map((skill) => [skill.slug, skill] as const))(
    "%s names each field once",
    (_, { fields }) => {
      const ids = fields.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
    },
  );

  test.each(skills.map((skill) => [skill.slug, skill] as const))(
    "%s asks whole questions",
    (_, { fields }) => {
      for (const { question } of fields) expect(question).toMatch(/^[A-Z].*\?$/);
    },
  );
});
