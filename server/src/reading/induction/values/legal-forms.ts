/** Legal forms of companies of many countries, as they stand at the end of a name. */

const FORMS: readonly string[] = (
  "incorporated|inc|corporation|corp|company|co|limited liability company|l l c|llc|" +
  "limited liability partnership|l l p|llp|limited partnership|l p|lp|ltd|limited|plc|" +
  "p l c|pllc|p c|n a|pty ltd|pty|pvt ltd|private limited|pte ltd|pte|trust|bancorp|" +
  "bancshares|holdings|group|sdn bhd|sdn bnd|sdn bho|s b|sdn|bhd|berhad|" +
  "sendirian berhad|plt|tbk|gmbh co kg|gmbh|ag|kg|kgaa|ohg|gbr|ug|e v|ev|e k|se|b v|bv|" +
  "n v|nv|v o f|vof|c v|ab|asa|as|a s|aps|oy|oyj|kft|zrt|s a|sa|s a s|sas|sasu|s a r l|" +
  "sarl|s à r l|eurl|sci|snc|s l|sl|s l u|s p a|spa|s r l|srl|s n c|lda|ltda|s a de c v|" +
  "sa de cv|s de r l de c v|s a b de c v|sp z o o|" +
  "spółka z ograniczoną odpowiedzialnością|spółka akcyjna|sp j|s r o|kk|k k"
).split("|");

/** Lowercase without accents kept apart: words of letters joined by one space. */
const KEYS: ReadonlySet<string> = new Set(FORMS);
const MOST_WORDS = Math.max(...FORMS.map((form) => form.split(" ").length));

/** A name's words in lowercase, without punctuation. */
export function nameWords(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** How many of the last words are a legal form: the longest that there is; 0 where none. */
export function legalFormLength(words: readonly string[]): number {
  for (let count = Math.min(MOST_WORDS, words.length); count > 0; count--) {
    if (KEYS.has(words.slice(-count).join(" "))) return count;
  }
  return 0;
}

/** Of these, one is enough to make the words before it a name. With their case; spaces are free. */
const WRITTEN: readonly string[] = (
  "Inc|INC|Incorporated|INCORPORATED|Corp|CORP|Corporation|CORPORATION|L.L.C|LLC|L.L.P|" +
  "LLP|L.P|LP|Ltd|LTD|Limited|LIMITED|PLC|Plc|plc|P.L.C|PLLC|P.C|N.A|Pty|PTY|Pvt|PVT|" +
  "Pte|PTE|GmbH|GMBH|mbH|AG|KG|KGaA|OHG|GbR|e.V|e.K|B.V|BV|N.V|NV|V.O.F|VOF|AB|ASA|A/S|" +
  "ApS|Oyj|OYJ|Oy|Kft|Zrt|S.A.S|SAS|SASU|S.à r.l|S.A.R.L|S. de R.L. de C.V|S.A. de C.V|" +
  "SA de CV|S.A.B. de C.V|SARL|EURL|S.A|SA|S.p.A|S.P.A|SpA|S.r.l|S.R.L|Srl|SRL|S.L.U|" +
  "S.L|Lda|LDA|Ltda|LTDA|sp. z o.o|Sp. z o.o|SP. Z O.O|sp. z o. o|spółka akcyjna|" +
  "SPÓŁKA AKCYJNA|spółka z ograniczoną odpowiedzialnością|" +
  "Spółka z ograniczoną odpowiedzialnością|s.r.o|Sdn|SDN|S/B|Bhd|BHD|Berhad|BERHAD|K.K|" +
  "Tbk"
).split("|");
/** These also stand in names' middles and in common speech. */
const WEAK: readonly string[] = (
  "Company|COMPANY|Co|CO|Trust|Bancorp|Bank|Partners|PARTNERS|Associates|ASSOCIATES|" +
  "Holdings|HOLDINGS|Group|GROUP|Foundation|University|Enterprises|ENTERPRISES|" +
  "Enterprise|ENTERPRISE|Trading|TRADING|Solutions|Industries|Laboratories|" +
  "Pharmaceuticals|Technologies|Systems|Services|Stores|Bancshares|Commission|Institute|" +
  "Association|Communications|Airlines"
).split("|");

const alternatives = (forms: readonly string[]): string =>
  [...forms]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((form) => form.replaceAll(". ", ".").replaceAll(".", "\\. ?"))
    .join("|");
const STRONG_FORM = `(?:${alternatives(WRITTEN)})`;
const ANY_FORM = `(?:${alternatives([...WRITTEN, ...WEAK])})`;
const NO_LETTER = "(?![\\p{L}\\p{N}])";
/** BHD as optical recognition reads it, a country in parentheses, a second form: Co. KG, Co., Ltd. */
const TAIL = `(?:(?<=Corporation|Company|Bank|Trust|University) of (?:America|Canada|\\p{Lu}\\p{L}{3,15})(?!\\p{L}))?(?:[.,]{0,2} ?(?:& ?)?(?:\\(\\p{Lu}{1,12}\\) ?)?(?:${ANY_FORM}${NO_LETTER}|(?<=SDN\\.? ?)B[A-Z]{2}${NO_LETTER})){0,3}\\.?`;

/** A legal form with those that follow; the group `weak` is set where it alone proves little. */
export const LEGAL_FORM = new RegExp(
  `(?<![\\p{L}\\p{N}-]|\\p{L}\\.)(?:${STRONG_FORM}|(?<weak>${alternatives(WEAK)}))${NO_LETTER}(?!(?<=imited|IMITED) (?:to|by|liab|warr|TO|BY|LIAB|WARR))${TAIL}`,
  "gu",
);

const STRONG_ALONE = new RegExp(`(?<![\\p{L}\\p{N}])${STRONG_FORM}${NO_LETTER}`, "u");

/** Whether one of several forms, as in `Co. (M) Sdn Bhd`, proves a company. */
export function hasStrongForm(forms: string): boolean {
  return STRONG_ALONE.test(forms);
}
