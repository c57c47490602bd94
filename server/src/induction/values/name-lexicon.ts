/** Given names, surnames and cities: the lexicon of compromise, opened when it is first asked for. */

import { createRequire } from "node:module";
import { z } from "zod";

const modelSchema = z.object({
  one: z.object({ lexicon: z.record(z.string(), z.union([z.string(), z.array(z.string())])) }),
});

export interface NameLexicon {
  readonly given: ReadonlySet<string>;
  readonly surnames: ReadonlySet<string>;
  readonly cities: ReadonlySet<string>;
  /** Everything else that it knows as a word of the language. */
  readonly words: ReadonlySet<string>;
}

/** Given names that are words first: no sign of a person. */
const RATHER_WORDS = new Set(
  "will may mark grant art bill frank rich chase drew gene grace hope joy faith penny rose ruby sandy summer dawn eve april june august sterling virginia carolina georgia paris london dallas austin jackson page miles ford royal prince major van so in long ha an my so king justice price case chance guy pat bob jay max ray lane dale glen earl duke dean cliff heath lance pierce trey ace amber crystal jade pearl ivy olive iris lily daisy heather holly angel christian star sky trinity honor harmony melody destiny journey".split(
    " ",
  ),
);

let opened: NameLexicon | null = null;

export function nameLexicon(): NameLexicon {
  if (opened !== null) return opened;
  const require = createRequire(import.meta.url);
  const nlp: { model(): object } = require("compromise/two");
  const { lexicon } = modelSchema.parse(nlp.model()).one;
  const given = new Set<string>();
  const surnames = new Set<string>();
  const cities = new Set<string>();
  const words = new Set<string>();
  for (const [word, tags] of Object.entries(lexicon)) {
    const has = (...wanted: readonly string[]) =>
      typeof tags === "string" ? wanted.includes(tags) : tags.some((tag) => wanted.includes(tag));
    if (has("MaleName", "FemaleName", "FirstName")) {
      if (!RATHER_WORDS.has(word)) given.add(word);
    } else if (has("LastName")) surnames.add(word);
    else if (has("City")) cities.add(word);
    else words.add(word);
  }
  opened = { given, surnames, cities, words };
  return opened;
}
