/** What words of a person's name look like. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";
import { fold } from "../locators/label-key.ts";

/** Whether the word is a given name, in title case or in capitals. */
export function isGivenName(word: string): boolean {
  if (!/^\p{Lu}\p{L}/u.test(word)) return false;
  const [first] = word.toLowerCase().split("-");
  const { given } = nameLexicon();
  return given.has(first!) || given.has(fold(first!));
}

/** Whether it is one that is a word as well, such as Mark: with an initial or a surname a name. */
export function isDoubtfulName(word: string): boolean {
  return /^\p{Lu}\p{L}/u.test(word) && nameLexicon().doubtful.has(word.toLowerCase());
}

export function isSurname(word: string): boolean {
  return /^\p{Lu}\p{L}/u.test(word) && nameLexicon().surnames.has(word.toLowerCase());
}

const modelSchema = z.object({
  one: z.object({ lexicon: z.record(z.string(), z.union([z.string(), z.array(z.string())])) }),
});

interface NameLexicon {
  readonly given: ReadonlySet<string>;
  /** Given names that are words of the language first: Mark, May, Will. */
  readonly doubtful: ReadonlySet<string>;
  readonly surnames: ReadonlySet<string>;
}

/** Alone no sign of a person. */
const RATHER_WORDS = new Set(
  "will may mark grant art bill rich chase hope joy faith penny rose sandy summer dawn eve april june august sterling virginia carolina georgia paris london page ford royal prince major van so in long ha an my king justice price case chance pat lane duke cliff pierce ace amber crystal jade pearl olive angel christian star sky trinity honor harmony melody destiny journey".split(
    " ",
  ),
);

/** What the lexicon knows as something else first. */
const MORE_GIVEN =
  "frank christian randy mason jean francois piet fatimah aminah mohamad ming ling raj kumar".split(
    " ",
  );
const MORE_SURNAMES =
  "brown thomas taylor martin lee white young allen king scott nguyen hill green nelson baker hall mitchell miller tan lim wong chan".split(
    " ",
  );

/** Given names of other languages than English, without accents; none that is a common word as well. */
function givenElsewhere(): string[] {
  const text = readFileSync(new URL("../words/data/given-names.txt", import.meta.url), "utf8");
  return text.split("\n").flatMap((line) => (line.startsWith("#") ? [] : line.split(" ")));
}

let opened: NameLexicon | null = null;

/** The lexicon of compromise and our own, opened when a name is first asked for. */
function nameLexicon(): NameLexicon {
  if (opened !== null) return opened;
  const require = createRequire(import.meta.url);
  const nlp: { model(): object } = require("compromise/two");
  const { lexicon } = modelSchema.parse(nlp.model()).one;
  const given = new Set([...MORE_GIVEN, ...givenElsewhere().filter((name) => name !== "")]);
  const doubtful = new Set<string>();
  const surnames = new Set(MORE_SURNAMES);
  for (const [word, tags] of Object.entries(lexicon)) {
    const has = (...wanted: readonly string[]) =>
      typeof tags === "string" ? wanted.includes(tags) : tags.some((tag) => wanted.includes(tag));
    if (has("MaleName", "FemaleName", "FirstName")) {
      (RATHER_WORDS.has(word) ? doubtful : given).add(word);
    } else if (has("LastName")) surnames.add(word);
  }
  opened = { given, doubtful, surnames };
  return opened;
}
