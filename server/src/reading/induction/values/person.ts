/**
 * Names of persons: after an honorific, at a signature, or a given name (lexicon of compromise) with
 * initials and a surname. Names that are companies' are left to them.
 */

import { isBusinessWord, isLabelWord } from "./business-words.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { hasStrongForm, LEGAL_FORM } from "./legal-forms.ts";
import { isDoubtfulName, isGivenName, isSurname } from "./person-words.ts";
import { firstBeyondLabel } from "./segments.ts";
import type { TypedValue } from "./value.ts";

const PARTICLE =
  "(?:van der|van den|van de|van|von|de la|de los|de|del|della|di|da|dos|bin|binti|al|el|ter|ten|zu)";
const SURNAME = "\\p{Lu}[\\p{L}'’]{1,24}(?:-\\p{Lu}[\\p{L}'’]{1,24})?";
const INITIAL = "\\p{Lu}\\.(?: ?\\p{Lu}\\.){0,2}";
const SUFFIX = "(?:,? (?:Jr|Sr|II|III|IV|Ph\\.?D|M\\.?D|Esq|CPA)\\.?(?!\\p{L}))";
/** A line may end after an initial, as in Marie S. / Curie. */
const GAP = "(?:[ \\u00a0]|(?<=\\p{Lu}\\.)\\n)";
const NAME = `(${SURNAME}|${INITIAL})(?:${GAP}(?:${INITIAL}|["“(]\\p{Lu}\\p{L}{1,15}["”)]|${PARTICLE}${GAP}${SURNAME}|${SURNAME})){1,4}${SUFFIX}{0,2}`;
const FULL_NAME = new RegExp(`(?<![\\p{L}\\d.&'’-])${NAME}(?![\\p{L}\\d&@])`, "gu");
const WITH_HONORIFIC = new RegExp(
  `(?<!\\p{L})(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Dame|Hon|Judge|Herr|Frau|Mme|Mlle|Sr|Sra|Sig|Dhr|Mevr|Pan|Pani|Encik|Puan|Dato'|Datuk|Chairman|Governor|President)\\.?${GAP}((?:(?:${INITIAL}|${PARTICLE}|${SURNAME})${GAP}){0,3}${SURNAME}${SUFFIX}{0,2})`,
  "gu",
);
const SIGNED = new RegExp(
  `(?:/s/|(?:^|\\n|  )(?:Name|Print(?:ed)? [Nn]ame|Signed|By|Attn|Attention|Contact(?: [Pp]erson)?)\\.?:)${GAP}{0,3}((?:/s/ ?)?(?:${INITIAL}|${SURNAME})(?:${GAP}(?:${INITIAL}|${PARTICLE}|${SURNAME})){1,4}${SUFFIX}{0,2})`,
  "gu",
);

function find(text: string): TypedValue[] {
  const found: TypedValue[] = [];
  const add = (start: number, written: string, certainty: number): void => {
    const name = tidyPerson(written);
    found.push(typedValue("person", start, start + written.length, name, certainty));
  };
  for (const match of text.matchAll(WITH_HONORIFIC)) {
    const name = match[1]!;
    if (!isOther(name)) add(match.index + match[0].length - name.length, name, 0.9);
  }
  for (const match of text.matchAll(SIGNED)) {
    const name = match[1]!.replace(/^\/s\/ ?/, "");
    if (!isOther(name)) add(match.index + match[0].length - name.length, name, 0.85);
  }
  for (const match of text.matchAll(FULL_NAME)) {
    for (const { start, name, certainty } of personsIn(match[0])) {
      add(match.index + start, name, certainty);
    }
  }
  return withoutOverlaps(found);
}

/** A run of capitalised words from its first given name on, if it is none of a company. */
function personsIn(
  run: string,
): readonly { readonly start: number; readonly name: string; readonly certainty: number }[] {
  const words = [...run.matchAll(/[^\s]+/g)];
  const first = words.findIndex(({ 0: word }) => isGivenName(word.replace(/[.,]/g, "")));
  const opensWithInitial = /^\p{Lu}\./u.test(run) && words.length <= 4;
  const bare = words.map(({ 0: word }) => word.replace(/[.,]/g, ""));
  const isBacked = bare.slice(1).some((word) => word.length === 1 || isSurname(word));
  const isDoubtful = first < 0 && isBacked && isDoubtfulName(bare[0]!);
  const from = isDoubtful || (first === 1 && opensWithInitial) ? 0 : first;
  if (from < 0) {
    const last = words.at(-1)![0];
    if (!opensWithInitial || isOther(run) || !isSurname(last)) return [];
    return [{ start: 0, name: run, certainty: 0.6 }];
  }
  const start = words[from]!.index;
  const office = words.findIndex(({ 0: word }, index) => index > from && isOffice(word));
  const to = office < 0 ? words.length : office;
  const name = run.slice(start, words[to - 1]!.index + words[to - 1]![0].length).replace(/,$/, "");
  if (to - from < 2 || isOther(run)) return [];
  const rest = words.slice(from + 1, to).map(({ 0: word }) => word.replace(/[.,]/g, ""));
  const isSure = rest.some((word) => word.length === 1 || isSurname(word));
  // In capitals, names of goods look the same.
  const isInCapitals = name === name.toUpperCase();
  return [
    { start, name, certainty: isSure ? (isInCapitals ? 0.6 : 0.85) : isInCapitals ? 0.4 : 0.7 },
  ];
}

const OFFICES = new Set(
  "ceo cfo coo cto president director chief manager chairman chairwoman chair secretary officer vice executive treasurer counsel senior senator attorney partner member trustee governor general".split(
    " ",
  ),
);

/** What a person is, which stands beside the name. */
function isOffice(word: string): boolean {
  return OFFICES.has(word.toLowerCase().replace(/[.,]/g, ""));
}

const STREETS = new Set(
  "street avenue road parkway blvd boulevard drive lane county city place point court square hall park beach valley river lake island bay hill hills heights airport station bridge school church jalan taman suite".split(
    " ",
  ),
);

/** Whether words among them are a company's or a label's. */
function isOther(run: string): boolean {
  const words = run.match(/[\p{L}'’]+/gu) ?? [];
  if (
    words.some(
      (word) => isBusinessWord(word) || isLabelWord(word) || STREETS.has(word.toLowerCase()),
    )
  )
    return true;
  LEGAL_FORM.lastIndex = 0;
  return run.search(LEGAL_FORM) >= 0;
}

function tidyPerson(name: string): string {
  return name.replace(/\s+/g, " ").replace(/^[\s,.;:]+|[\s,;:]+$/g, "");
}

const POINTED_AT = new RegExp(
  `^(?:/s/ ?)?(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Mme)\\.? )?(${SURNAME}(?:,? (?:${INITIAL}|\\p{Lu}(?!\\p{L})|${PARTICLE}|${SURNAME})){0,4}${SUFFIX}{0,2}|${INITIAL} ?${SURNAME}(?: ${SURNAME})?)`,
  "u",
);

export const PERSON: Kind = {
  find,
  read(text) {
    const head = text.slice(0, 400);
    let best: TypedValue | null = null;
    for (const value of find(head)) {
      if (best === null || value.certainty > best.certainty) best = value;
    }
    return best ?? readLine(head);
  },
};

/** `St. Mary's`, `School of the Arts`: one word, and the name goes on. */
function hasInnerStop(name: string, rest: string): boolean {
  return !name.includes(" ") && /^(?:\.| of| de| for)\s/iu.test(rest);
}

function readLine(text: string): TypedValue | null {
  const piece = firstBeyondLabel(text);
  if (piece === null || /\d/.test(piece.text) || hasStrongForm(piece.text)) return null;
  const match = POINTED_AT.exec(piece.text);
  const name = match?.[1];
  if (match === null || name === undefined || name.split(" ").some(isLabelWord)) return null;
  const rest = piece.text.slice(match[0].length);
  // Of a body's name, `Mercy Hospital and Medical Center`, a part is nobody's.
  const isBody = /\p{L}/u.test(rest) && (isOther(piece.text) || hasInnerStop(name, rest));
  if (isBody) return null;
  if (rest.replace(/[^\p{L}]/gu, "").length > 40) return null;
  const start = piece.start + match[0].length - name.length;
  return typedValue("person", start, start + name.length, tidyPerson(name), 0.4);
}
