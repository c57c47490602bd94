/**
 * What a label is about, whatever its language and whichever of the words of trade it takes:
 * `Rechnungs-Nr.`, `Bill number` and `N° de facture` are all of an invoice and a number. The terms
 * are those of everyday forms in eight languages (`data/label-terms.txt`); a compound of German or
 * Dutch is taken apart into them (Koehn and Knight, "Empirical Methods for Compound Splitting", 2003,
 * without counts: the fewest parts that fill it). A word that is none of them stands for itself.
 */

import { readFileSync } from "node:fs";
import { labelKey } from "../locators/label-key.ts";
import { isFoldedUnit } from "../values/units.ts";
import { isLinkingWord, stem } from "./content-words.ts";

/** Concepts that name nothing by themselves, as `no` and `date`: they tell less than the others. */
const GENERIC = new Set(
  "no date total amount name type time place rate quantity page state rated estimated".split(" "),
);
const GENERIC_WEIGHT = 0.35;
/** Of these, the ones that say which of a thing's properties it is: its number is not its date. */
const PROPERTIES = new Set("no date amount name time place rate quantity".split(" "));

/** Words of other languages that only hold others together. */
const LINKS = new Set(
  "de del della di des du d la le les l el los las der die das den dem des von vom zur zum für fur a al il lo van het een".split(
    " ",
  ),
);

/** Behind a participle, what asks for a person. */
const BY = new Set(["by", "par", "por", "door", "durch", "przez"]);

/** What joins the parts of a compound. */
const JOINTS = ["", "s", "n", "en", "e", "es"];
const SHORTEST_PART = 3;
const SHORTEST_COMPOUND = 7;
/** Words of a term. */
const MOST_TERM_WORDS = 6;

let terms: Terms | null = null;

/** A term, its words joined by spaces, to what it is about: mostly one concept. */
type Terms = ReadonlyMap<string, readonly string[]>;

function termsOf(): Terms {
  if (terms !== null) return terms;
  const read = new Map<string, readonly string[]>();
  const text = readFileSync(new URL("./data/label-terms.txt", import.meta.url), "utf8");
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [concept, list] = line.split(": ");
    // Of two meanings, the first that is told.
    for (const term of list!.split(" ").flatMap(keysOfTerm)) {
      if (!read.has(term)) read.set(term, concept!.split("+"));
    }
  }
  terms = read;
  return read;
}

/** As labels are compared: `personalnummer` is `personal no`, and `date d'effet` is `date deffet`. */
function keysOfTerm(written: string): string[] {
  const isWhole = written.startsWith(ALONE);
  const words = written.slice(isWhole ? 1 : 0).replaceAll("_", " ");
  const elided = words.replace(ARTICLE_ELIDED, "$1");
  return [...new Set([words, elided])].map((each) =>
    isWhole ? `${ALONE}${labelKey(each)}` : labelKey(each),
  );
}

/** Before a vowel, what an apostrophe joins to it. */
const ARTICLE_ELIDED = /(?<= )(d|l|dell|all|nell|sull|dall) (?=[aeiouyh])/g;

/** Before a term that is one only where nothing stands beside it: `From`. */
const ALONE = "=";

const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

/** The concepts of a label's key (`labelKey`), each once; words that are no terms stem to themselves. */
export function conceptsOf(key: string): readonly string[] {
  const before = known.get(key);
  if (before !== undefined) return before;
  const read = termsOf();
  const words = key.split(" ").filter((word) => word !== "");
  const alone = words.length === 1 ? read.get(`${ALONE}${words[0]!}`) : undefined;
  const concepts: string[] = [...(alone ?? [])];
  for (let at = alone === undefined ? 0 : 1; at < words.length; ) {
    const most = Math.min(MOST_TERM_WORDS, words.length - at);
    let count = most;
    for (; count > 1; count -= 1) {
      if (read.has(words.slice(at, at + count).join(" "))) break;
    }
    const term = words.slice(at, at + count).join(" ");
    concepts.push(...(count > 1 ? read.get(term)! : ofWord(term, read)));
    at += count;
  }
  // Who reported is another question than whether it was.
  if (words.length > 1 && BY.has(words.at(-1)!)) concepts.push("by");
  const each = [...new Set(concepts)];
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, each);
  return each;
}

function ofWord(word: string, read: Terms): readonly string[] {
  const concepts = read.get(word) ?? read.get(stem(word));
  if (concepts !== undefined) return concepts;
  // `Weight (kg)`
  if (isLinkingWord(word) || LINKS.has(word) || isFoldedUnit(word)) return [];
  const elided = ELIDED.exec(word)?.[1];
  const behind = elided === undefined ? undefined : read.get(elided);
  return behind ?? partsOf(word, read) ?? ofInflected(word, read) ?? [stem(word)];
}

/**
 * What most words of the eight languages end with by number, gender and case, without accents. English
 * words hardly have such an ending: `-er` and `-ed` tell the one who does from what is done.
 */
const INFLECTION = /(?:ami|iami|ach|iem|ego|emu|ych|ymi|imi|ow|om|em|ej|es|os|as|en|[aeiouys])$/u;
const SHORTEST_INFLECTED = 6;
const SHORTEST_ROOT = 5;

const rootOf = (word: string): string | null => {
  if (word.length < SHORTEST_INFLECTED) return null;
  const root = word.replace(INFLECTION, "");
  return root.length < SHORTEST_ROOT ? null : root;
};

let roots: ReadonlyMap<string, readonly string[] | null> | null = null;

/** The concepts of the terms of one word that another ending makes of it: `zamówienia`, `mercancías`. */
function ofInflected(word: string, read: Terms): readonly string[] | null {
  if (roots === null) {
    const known = new Map<string, readonly string[] | null>();
    for (const [term, concepts] of read) {
      const root = /[ =]/.test(term) ? null : rootOf(term);
      if (root === null) continue;
      const other = known.get(root);
      // Where the ending alone tells two terms apart, it is none that may be left out.
      const isOne = other === undefined || other?.join() === concepts.join();
      known.set(root, isOne ? concepts : null);
    }
    roots = known;
  }
  const root = rootOf(word);
  return root === null ? null : (roots.get(root) ?? null);
}

/** `d'alimentation`, as labels are compared without apostrophes: the word behind an article. */
const ELIDED = /^(?:d|l|dell|all|nell|sull|dall)([aeiouyh]\p{L}{3,})$/u;

/** The concepts of the fewest terms that fill a compound, or null. */
function partsOf(word: string, read: Terms): string[] | null {
  if (word.length < SHORTEST_COMPOUND) return null;
  for (let length = word.length - SHORTEST_PART; length >= SHORTEST_PART; length -= 1) {
    const first = read.get(word.slice(0, length));
    if (first === undefined) continue;
    for (const joint of JOINTS) {
      if (!word.startsWith(joint, length)) continue;
      const rest = word.slice(length + joint.length);
      const last = read.get(rest);
      const others = last ?? partsOf(rest, read);
      if (others !== null) return [...first, ...others];
    }
  }
  return null;
}

/**
 * What labels of one meaning share, whatever their words: their concepts in one order. Null where no
 * concept tells of a thing (`Total`, `Number`), or a word is none of the terms.
 */
export function meaningOf(key: string): string | null {
  const concepts = conceptsOf(key);
  if (concepts.every((concept) => GENERIC.has(concept)) || !isOfTerms(key)) return null;
  return columnMeaning(key);
}

/** Whether both are made of terms and mean different things: a letter makes an employer of an employee. */
export function meanOtherThings(a: string, b: string): boolean {
  return a !== b && isOfTerms(a) && isOfTerms(b) && columnMeaning(a) !== columnMeaning(b);
}

/**
 * Whether both are made of terms, and each is about something that the other is not: `Time of offence`
 * may well be a form's `Time`.
 */
export function contradict(a: string, b: string): boolean {
  if (!isOfTerms(a) || !isOfTerms(b)) return false;
  const [one, two] = [conceptsOf(a), conceptsOf(b)];
  // A form's `Date` is the day of its issue, and neither a period's nor a person's.
  if (isBareDate(one) || isBareDate(two)) {
    const other = isBareDate(one) ? two : one;
    if (other.some(isOtherDay)) return true;
    if (other.includes("issue")) return false;
  } else if (one.every(isGeneric) || two.every(isGeneric)) {
    // `Valeur` may be anything's.
    return false;
  }
  const own = one.filter((concept) => !ofAny(concept, two));
  const others = two.filter((concept) => !ofAny(concept, one));
  return own.length > 0 && others.length > 0;
}

const isGeneric = (concept: string): boolean => GENERIC.has(concept);
const isBareDate = (concepts: readonly string[]): boolean =>
  concepts.length === 1 && concepts[0] === "date";
const OTHER_DAYS: ReadonlySet<string> = new Set(
  "start end due expiry valid birth next arrival departure payment_date value_date hire leave death deadline follow_up return first_registration".split(
    " ",
  ),
);
const isOtherDay = (concept: string): boolean => OTHER_DAYS.has(concept);

/** A form's `Name` may be anybody's, a product's trade name is its name, and the rated voltage is the voltage. */
const ANYBODYS: ReadonlySet<string> = new Set(["name", "trade_name", "rated", "estimated"]);

const ofAny = (concept: string, others: readonly string[]): boolean =>
  ANYBODYS.has(concept) || others.some((other) => areOne(concept, other));

const areOne = (a: string, b: string): boolean =>
  a === b || INTERCHANGED.has(`${a} ${b}`) || INTERCHANGED.has(`${b} ${a}`);

/** What columns of one meaning share, generic or not; of words that are no terms, the words. */
export function columnMeaning(key: string): string {
  return isOfTerms(key) ? [...conceptsOf(key)].sort().join(" ") : key;
}

let conceptNames: ReadonlySet<string> | null = null;

/** Whether a label has nothing but terms in it. */
export function isOfTerms(key: string): boolean {
  conceptNames ??= new Set([...termsOf().values()].flat());
  const names = conceptNames;
  const concepts = conceptsOf(key);
  return concepts.length > 0 && concepts.every((concept) => names.has(concept));
}

/** What forms of one kind call by the one or by the other: a ticket's origin is what it is from. */
const INTERCHANGED: ReadonlySet<string> = new Set([
  "from origin",
  "from sender",
  "to destination",
  "to recipient",
  "delivery_address recipient",
  "delivery_address to",
  "location place",
  "start time",
  "amount total",
  "effective_date start",
  "contract policy",
  "net subtotal",
  "end expiry",
  "customer recipient",
  "customer insured",
  "case medical_record",
  "medical_record patient",
  "transport vessel",
]);

/** What says of a total that it is that of the whole document. */
const GRAND: ReadonlySet<string> = new Set(["gross", "invoice", "order", "amount", "due"]);

const PAPERS: ReadonlySet<string> = new Set([
  "invoice",
  "certificate",
  "report",
  "statement",
  "notice",
  "policy",
  "form",
  "receipt",
  "offer",
  "permit",
]);

/** Whether documents that never have both may mean one thing by them: a policy's number is its contract's. */
export function areInterchanged(a: string, b: string): boolean {
  const [one, two] = [conceptsOf(a), conceptsOf(b)];
  const own = one.filter((concept) => !two.includes(concept));
  const others = two.filter((concept) => !one.includes(concept));
  const rest = [...own, ...others];
  // `Description of goods` asks for the goods.
  const isAboutOne = one.length > 0 && two.length > 0 && rest.length === 1;
  if (isAboutOne) return rest[0] === "description";
  // Of an order the order's total is the gross one, and the invoice's the amount due.
  if (one.includes("total") && two.includes("total") && rest.every((each) => GRAND.has(each))) {
    return rest.length > 0;
  }
  if (own.length !== 1 || others.length !== 1) return false;
  // The date of a paper is the day of its issue.
  const isDay = one.includes("date") && two.includes("date");
  if (isDay && rest.includes("issue") && rest.some((each) => PAPERS.has(each))) return true;
  return own[0] !== others[0] && areOne(own[0]!, others[0]!);
}

/**
 * How much of what two labels are about is the same, 0 to 1 (Dice's coefficient, generic concepts
 * counting less); 0 where nothing but generic concepts is shared, or each is another property.
 */
export function conceptLikeness(a: string, b: string): number {
  const [one, two] = [conceptsOf(a), conceptsOf(b)];
  if (one.length === 0 || two.length === 0) return 0;
  const shared = one.filter((concept) => two.includes(concept));
  if (shared.length === one.length && one.length === two.length) return 1;
  if (shared.every((concept) => GENERIC.has(concept))) return 0;
  const isOther = (concept: string): boolean =>
    PROPERTIES.has(concept) && !shared.includes(concept);
  if (one.some(isOther) && two.some(isOther)) return 0;
  return (2 * weightOf(shared)) / (weightOf(one) + weightOf(two));
}

function weightOf(concepts: readonly string[]): number {
  return concepts.reduce((sum, each) => sum + (GENERIC.has(each) ? GENERIC_WEIGHT : 1), 0);
}
