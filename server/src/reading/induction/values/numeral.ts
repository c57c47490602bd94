/**
 * Numerals as cultures write them: 1,234.50 · 1.234,50 · 1 234,50 · 1'234.50 · 12,34,567.00.
 * A lone separator before three digits is read by the documents' convention.
 */

const SPACES = " \u00a0\u202f\u2009";

/**
 * One numeral, for use inside a larger pattern. Its parts are bounded, so that scanning stays linear.
 * Plain spaces between groups are the caller's business: see `SPACED_NUMERAL`.
 */
export const NUMERAL =
  "(?:\\d{1,3}(?:[,.'’\\u00a0\\u202f\\u2009]\\d{2,3}){1,6}(?!\\d)(?:[.,]\\d{1,6}(?!\\d))?|\\d{1,18}(?:[.,]\\d{1,8})?)";

/** Groups apart by plain spaces that can be nothing else, whatever the decimals: 1 000 000, 25 000. */
export const GROUPED_NUMERAL = `(?:\\d{1,3}(?: \\d{3}){2,4}(?:[.,]\\d{2})?(?![\\d.,])|\\d{1,3} 000(?![\\d.,])|${NUMERAL})`;

/** Where groups may also be apart by plain spaces, as 1 234,50. */
export const SPACED_NUMERAL = `(?:\\d{1,3}(?: \\d{3}){2,4}(?![\\d.,])|\\d{1,3}(?: \\d{3}){1,4}[.,]\\d{2}(?!\\d)|${NUMERAL})`;

/** Where a piece of a line begins, or what stands behind its label: nothing of a number is before it. */
const OPENS_PIECE = "(?<=^|\\n| {2}|[:：] )";

/** Groups apart by plain spaces where nothing but a number's end may follow: `15 128` of `15 128 kg`. */
export const GROUPS_OPENING_PIECE = `${OPENS_PIECE}\\d{1,3}(?: \\d{3}){1,6}`;

/** A number that is part of none longer: put before and after a numeral. */
export const NOT_AFTER_DIGIT = "(?<![\\d\\p{L}]|\\d[.,:/-])";
export const NOT_BEFORE_DIGIT = "(?![\\d\\p{L}]|[.,:/-]\\d)";

/**
 * The number that a numeral writes.
 *
 * @param decimalComma how the documents write decimals: settles 1.234 and 1,234
 * @returns null where it is no numeral
 */
export function parseNumeral(written: string, decimalComma: boolean): number | null {
  let digits = "";
  const separators: { readonly mark: string; readonly at: number }[] = [];
  for (const char of written) {
    if (char >= "0" && char <= "9") digits += char;
    else if (char === "." || char === ",") separators.push({ mark: char, at: digits.length });
    else if (char === "'" || char === "’" || SPACES.includes(char)) {
      separators.push({ mark: " ", at: digits.length });
    } else return null;
  }
  if (digits.length === 0 || digits.length > 24) return null;
  const last = separators.at(-1);
  if (last === undefined) return Number(digits);
  const isDecimal = hasDecimalMark(separators, digits, decimalComma);
  const groups = isDecimal ? separators.slice(0, -1) : separators;
  const whole = isDecimal ? last.at : digits.length;
  if (!groupsAreRegular(groups, whole)) return null;
  const value = isDecimal
    ? Number(`${digits.slice(0, last.at)}.${digits.slice(last.at)}`)
    : Number(digits);
  return Number.isFinite(value) ? value : null;
}

type Separator = { readonly mark: string; readonly at: number };

function hasDecimalMark(
  separators: readonly Separator[],
  digits: string,
  decimalComma: boolean,
): boolean {
  const last = separators.at(-1)!;
  if (last.mark === " ") return false;
  const after = digits.length - last.at;
  const others = separators.slice(0, -1);
  if (others.some(({ mark }) => mark === last.mark)) return false;
  if (after !== 3 || others.length > 0) return true;
  if (last.at > 3 || last.at === 0 || (last.at === 1 && digits[0] === "0")) return true;
  return decimalComma ? last.mark === "," : last.mark === ".";
}

/** Groups of three, or the Indian ones of two before the last of three; one mark for all. */
function groupsAreRegular(groups: readonly Separator[], whole: number): boolean {
  if (groups.length === 0) return true;
  if (groups.some(({ mark }) => mark !== groups[0]!.mark)) return false;
  const bounds = [...groups.map(({ at }) => at), whole];
  const sizes = bounds.slice(1).map((bound, index) => bound - bounds[index]!);
  if (bounds[0]! < 1 || bounds[0]! > 3 || sizes.at(-1) !== 3) return false;
  const inner = sizes.slice(0, -1);
  return inner.every((size) => size === 3) || inner.every((size) => size === 2);
}
