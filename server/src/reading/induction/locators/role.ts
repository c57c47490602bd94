/**
 * What a contract calls its parties: `Acme, Inc., a Delaware corporation (the "Seller")`, `Jane Roe,
 * hereinafter referred to as "Tenant"`. The name is the last party's before it, behind the former
 * definition, a number of the list, or what opens the list; a street in its address is no party.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import { lineAt } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { read } from "../values/kinds.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { labelKey } from "./label-key.ts";
import type { Locator, Target } from "./locator.ts";
import { type ListedName, namesIn } from "./name-list.ts";

type RoleLocator = Extract<Locator, { kind: "role" }>;

/** Of a locator: whoever has a role. */
const ANY_ROLE = "*";

export interface NamedRole {
  /** As written, without its article. */
  readonly role: string;
  readonly name: string;
  /** Offsets of the document's text. */
  readonly start: number;
  readonly end: number;
}

/** Parties are named where a contract begins. */
const READ = 6_000;
const MOST_ROLES = 40;
/** Characters of what is said of a party before its role. */
const LONGEST_PART = 600;
const SURENESS = 0.9;

const TERM = "\\p{Lu}[\\p{L}’'-]{2,20}(?: \\p{Lu}[\\p{L}’'-]+){0,2}";
const ARTICLE =
  "(?:[Tt][Hh][Ee]|[Dd](?:er|ie|as|en|e)|[Ll](?:e|a|es|os|o)|[Ee]l|[Ii]l|[Hh]et|[AaOo])\\s+|[Ll]['’]";
const QUOTED = `["“”„«»]\\s*(?:${ARTICLE})?(${TERM})[,.]?\\s*["”“»«]`;
const HEREAFTER =
  "(?:[Hh]ere(?:in)?after|[Cc]i-après|[Ii]m [Ff]olgenden|[Nn]achfolgend|[Nn]achstehend|[Ee]n (?:adelante|lo sucesivo)|[DdIi][in] seguito|[Hh]ierna|[Dd]oravante)";
/** Without quotes, one word: `en adelante el ARRENDADOR`. */
const CALLED = "\\p{Lu}[\\p{L}’'-]{3,20}";
const DEFINITION = new RegExp(
  `\\([^()\\n"“”„«]{0,60}${QUOTED}[^()]{0,80}\\)|${HEREAFTER}[^()"“”„«]{0,60}${QUOTED}|` +
    `${HEREAFTER}\\s+(?:called|known as|referred to as|designated|named)\\s+(?:the\\s+)?(${TERM})|` +
    `${HEREAFTER}[ ,:]+(?:(?:also|auch|als|dénommée?|désignée?|denominad[oa]|denominat[oa]|te noemen|genannt)[ ,:]+)?(?:${ARTICLE})(${CALLED})(?!\\p{L})`,
  "gu",
);
/** What a contract defines besides its parties. */
const NO_PARTY =
  /^(?:party|parties|.*(?:agreement|contract|date|information|terms?|services?|products?|territory|purpose|period|price|property|premises|act|laws?|plan|shares?|stock|notes?))$/iu;
const OPENING =
  /\b(?:between|among|entre|zwischen|tra|fra|tussen|de (?:una|otra) parte|d['’](?:une|autre) part)\b|(?:^|\n)\s*(?:\(\w{1,3}\)|\w{1,3}[.)])\s/giu;
/** What stands before a party's name and is none of it. */
const TITLES =
  /^[\s,:]*(?:(?:and|und|et|e|y|en)\s+)?(?:(?:les soussigné\p{L}*|the undersigned|le parti|las partes)[\s,:]+)?(?:(?:der|die|das|den|dem|het|la|le|les|el|il|de otra parte|d['’]autre part)\s+)?(?:(?:d\.?\/dña|sr\.?\/sra|m\.?\/mme|mr\.?\/mrs|herrn?\/frau|sig\.?\/sig\.ra|société|sociedad|società|empresa|ditta|firma|company|vennootschap|monsieur|madame|señor|señora|don|doña|dña|herrn?|frau|heer|mevrouw|mme|mlle|sig|sig\.ra|mr|mrs|ms|d|m)\.?ª?\s+)?/iu;
/** `Green, Wilson and Fraser Ltd`: surnames alone are those of partners, and one name. */
const FIRM =
  /^[\s,]*(?:(?:[Aa]nd|AND|[Bb]y)\s+)?(\p{Lu}[\p{L}’'-]+(?:, \p{Lu}[\p{L}’'-]+)+,? (?:and|&) \p{Lu}[\p{L}’'-]+(?: (?:Ltd|LLP|LLC|PLC|Inc|PC|P\.C)\b)?)/u;
const AND = /(?:\b(?:and|und|et|e|y|en)|&)\s+$/iu;
/** A section's number, and its title. */
const NUMBERED = /^\d+\./u;
/** `Jane Roe of Studio 4`: persons live somewhere, though a bank may be one of America. */
const OF_A_PLACE = /\s+of\s.*$/su;
const LEAST_PERSON = 0.5;

const NAMES: ReadonlySet<ValueKind> = new Set(["organization", "person", "text"]);

/** Parties, as the glossary means them. */
const PARTIES: ReadonlySet<string> = new Set(
  "landlord tenant buyer seller supplier customer employer employee lender borrower provider licensor licensee insured owner guarantor agent sender recipient".split(
    " ",
  ),
);
const APPOSED = new RegExp(
  `(?:\\s*\\(|\\s*,\\s*)(?:(?:as|als|como|come|en qualité de|en tant que|in qualità di|in qualiteit van|${HEREAFTER}(?:\\s(?:dénommé\\p{L}*|genannt|denominad\\p{L}|denominat\\p{L}|te noemen))?)\\s+)?(?:${ARTICLE})?(\\p{L}{4,20})(?=\\s*[),.;]|\\s+(?:of|de|del|della|dell|der|des|du|van)(?!\\p{L}))`,
  "gu",
);
const LONGEST_NAME = 90;
const NAME_WORD = "\\p{Lu}[\\p{L}\\p{M}.'’&-]*";
const NAME_BEFORE = new RegExp(
  `(?<![\\p{L}.])(?!D\\. |Herrn? |Frau |Mr\\.? |Mrs\\.? |Ms\\.? |Sig\\.? |M\\. |Mme )(${NAME_WORD}(?:\\s(?:&|y|und|and|et|van|von|de|del|della|di|den|der|la|${NAME_WORD})){1,7})$`,
  "u",
);

/** A title over the contract, and what opens the list of its parties. */
const OPENED =
  /^(?:.*(?<!\p{L})(?:between|among|entre|zwischen|tra|fra|tussen)\s+)?(?:(?:D|Dña|Dª|M|Mme|Mlle|Sig|Sig\.ra|Herrn?|Frau|Mr|Mrs|Ms|Sr|Sra)\.?ª?\s+)?/isu;
/** Where a list of names follows one of these, it tells the parties better than what they are called. */
const LISTED = /\b(?:between|among)\b/i;

const known = new WeakMap<DocumentText, readonly NamedRole[]>();

/** In the text's order, the first of each role. */
export function rolesOf(content: DocumentText): readonly NamedRole[] {
  let roles = known.get(content);
  if (roles === undefined) {
    roles = readRoles(content.text.slice(0, READ));
    known.set(content, roles);
  }
  return roles;
}

function readRoles(text: string): NamedRole[] {
  const roles = new Map<string, NamedRole>();
  let from = 0;
  for (const match of text.matchAll(DEFINITION)) {
    const role = (match[1] ?? match[2] ?? match[3] ?? match[4]!).trim();
    if (match[4] !== undefined && !PARTIES.has(meaningOf(labelKey(role)) ?? "")) continue;
    const begin = partBegin(text, from, match.index);
    from = match.index + match[0].length;
    if (begin === null || NO_PARTY.test(role) || roles.has(labelKey(role))) continue;
    const whole = text.slice(begin, match.index).replace(/\s/gu, " ");
    const lead = TITLES.exec(whole)![0].length;
    const part = whole.slice(lead);
    const named = namedLast(part);
    if (named === null || NUMBERED.test(part.slice(named.start, named.end))) continue;
    const name = withoutPlace(part.slice(named.start, named.end));
    const start = begin + lead + named.start;
    roles.set(labelKey(role), { role, name, start, end: start + name.length });
    if (roles.size === MOST_ROLES) break;
  }
  for (const { role, name, start } of apposedRoles(text)) {
    if (roles.size === MOST_ROLES || roles.has(labelKey(role))) continue;
    // What a definition calls somebody is not defined again.
    if ([...roles.values()].some((other) => other.start <= start && start < other.end)) continue;
    roles.set(labelKey(role), { role, name, start, end: start + name.length });
  }
  return [...roles.values()];
}

/** The first name, or the last one that `and` adds to it: a party that was given no role comes first. */
function namedLast(part: string): ListedName | null {
  const firm = FIRM.exec(part);
  if (firm !== null) return { start: firm[0].length - firm[1]!.length, end: firm[0].length };
  const [first, ...others] = namesIn(part);
  if (first === undefined) return null;
  return others.findLast(({ start }) => AND.test(part.slice(0, start))) ?? first;
}

/**
 * What somebody is beside the name, in the terms of trade alone: `Anna Vogel (Vermieterin)`, `Juan Gil,
 * como arrendador`, `Ruth Hughes, landlord of the premises`.
 */
function apposedRoles(text: string): NamedRole[] {
  return [...text.matchAll(APPOSED)].flatMap((match): NamedRole[] => {
    const role = match[1]!;
    if (!PARTIES.has(meaningOf(labelKey(role)) ?? "")) return [];
    const before = text.slice(Math.max(0, match.index - LONGEST_NAME), match.index);
    const name = NAME_BEFORE.exec(before)?.[1]?.replace(OPENED, "");
    if (name === undefined || !name.includes(" ") || PARTIES.has(meaningOf(labelKey(name)) ?? ""))
      return [];
    const start = match.index - before.length + before.lastIndexOf(name);
    return [{ role, name: name.replace(/\s+/gu, " "), start, end: start + name.length }];
  });
}

/** Null where nothing shows where it begins. @param from the end of the definition before, or 0 */
function partBegin(text: string, from: number, to: number): number | null {
  const window = Math.max(from, to - LONGEST_PART);
  let begin = from > 0 && window === from ? from : null;
  for (const match of text.slice(window, to).matchAll(OPENING)) {
    begin = window + match.index + match[0].length;
  }
  return begin;
}

function withoutPlace(name: string): string {
  const short = name.replace(OF_A_PLACE, "");
  if (short === name) return name;
  const person = read("person", short, NEUTRAL_CONVENTIONS);
  return person !== null && person.certainty >= LEAST_PERSON ? short : name;
}

export function locateRole(
  content: DocumentText,
  { roles }: RoleLocator,
  { kind }: Target,
): Finding[] {
  if (!NAMES.has(kind)) return [];
  if (roles.includes(ANY_ROLE) && LISTED.test(content.text.slice(0, READ))) return [];
  const meanings = new Set(roles.flatMap((each) => meaningOf(each) ?? []));
  return rolesOf(content).flatMap(({ role, name, start, end }): Finding[] => {
    const key = labelKey(role);
    const meaning = meaningOf(key);
    if (roles.includes(ANY_ROLE)) return [findingOfRole(content, name, start, end)];
    if (!roles.includes(key) && (meaning === null || !meanings.has(meaning))) return [];
    return [findingOfRole(content, name, start, end)];
  });
}

function findingOfRole(content: DocumentText, name: string, start: number, end: number): Finding {
  const { page } = lineAt(content, start);
  const text = content.text.slice(start, end);
  return { normal: name, unit: null, text, start, end, page, confidence: SURENESS };
}
