/**
 * The skills that there are: every file in `files/`, read and checked once. Adding a skill is adding
 * a file; nothing else names one.
 */

import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { type Skill, skillSchema } from "./skill.ts";

const FILES = new URL("./files/", import.meta.url);

let loaded: readonly Skill[] | null = null;

/** All skills, by slug. @throws Error that names the file and what is wrong in it */
export function listSkills(): readonly Skill[] {
  loaded ??= readdirSync(FILES)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map(readSkill);
  return loaded;
}

/** The skill of that slug, or null. */
export function skillBySlug(slug: string): Skill | null {
  return listSkills().find((skill) => skill.slug === slug) ?? null;
}

function readSkill(name: string): Skill {
  const read = skillSchema.safeParse(JSON.parse(readFileSync(new URL(name, FILES), "utf8")));
  if (!read.success) throw new Error(`skill ${name}: ${z.prettifyError(read.error)}`);
  if (`${read.data.slug}.json` !== name) {
    throw new Error(
      `skill ${name}: its slug is ${read.data.slug}, so its file is ${read.data.slug}.json`,
    );
  }
  return read.data;
}
