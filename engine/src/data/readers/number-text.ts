/**
 * Decimal numbers straight from bytes.
 *
 * Up to 15 significant digits and 22 decimals, `digits / 10^decimals` is the correctly rounded
 * double (both operands are exact; Clinger, "How to read floating point numbers accurately",
 * PLDI 1990, §4); everything else goes through the runtime's own conversion.
 */

const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;

/** How the last parsed number was written: its decimals, so that `toFixed` gives the text back. */
export const lastNumber = { decimals: 0 };
/** `lastNumber.decimals` of a text that `toFixed` does not give back. */
export const ODD_FORM = 255;
/** `lastNumber.decimals` of an integer of 16 digits or more without a sign but minus: `LargeIntegers`. */
export const LARGE_INTEGER = 254;

/** Whether a text that may be a number has zeros before its digits, as codes have: `01234`, `00.5`. */
export function isCode(text: string): boolean {
  return text.length > 1 && isCodeBytes(text.charCodeAt(0), text.charCodeAt(1));
}

/** The same of the first two bytes. Behind a minus sign they are as SQL's readers take them: a number. */
export function isCodeBytes(first: number, second: number): boolean {
  return first === 48 && second >= 48 && second <= 57;
}

/** The number written in bytes[start, end), or NaN where it is none. Infinity is a number. */
export function parseNumberBytes(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  const negative = bytes[i] === 45;
  if (negative) i++;
  const first = i;
  let mantissa = 0;
  while (i < end) {
    const digit = bytes[i] - 48;
    if (digit < 0 || digit > 9) break;
    mantissa = mantissa * 10 + digit;
    i++;
  }
  const whole = i - first;
  let decimals = 0;
  if (i < end && bytes[i] === 46) {
    i++;
    const point = i;
    while (i < end) {
      const digit = bytes[i] - 48;
      if (digit < 0 || digit > 9) break;
      mantissa = mantissa * 10 + digit;
      i++;
    }
    decimals = i - point;
    if (decimals === 0) return parseSlowly(bytes, start, end);
  }
  if (i !== end || whole === 0 || decimals > 22 || mantissa > 999_999_999_999_999) {
    const value = parseSlowly(bytes, start, end);
    if (i === end && decimals === 0 && whole > 15 && bytes[first] !== 48) {
      lastNumber.decimals = LARGE_INTEGER;
    }
    return value;
  }
  const plain = (whole === 1 || bytes[first] !== 48) && !(negative && mantissa === 0);
  lastNumber.decimals = plain ? decimals : ODD_FORM;
  const value = decimals === 0 ? mantissa : mantissa / POWERS[decimals];
  return negative ? -value : value;
}

function parseSlowly(bytes: Uint8Array, start: number, end: number): number {
  lastNumber.decimals = ODD_FORM;
  const first = bytes[start];
  // Only a digit, a sign, a point or the i of infinity can begin a number.
  if (!((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46)) {
    if (first !== 73 && first !== 105) return Number.NaN;
  }
  if (end - start > 400) return Number.NaN;
  let text = "";
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return parseNumber(text);
}

/**
 * The number a text writes, or NaN where it is none, or is one beyond what a double holds, such as `1e400`.
 * `Infinity`, `inf` and signs are read.
 */
export function parseNumber(text: string): number {
  if (NUMBER.test(text)) return representable(Number(text), text);
  const infinity = INFINITY.exec(text);
  if (infinity === null) return Number.NaN;
  return infinity[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Whether the text writes a number that is beyond what a double holds, such as `1e400`. */
export function isBeyondDoubles(text: string): boolean {
  return NUMBER.test(text) && Number.isNaN(parseNumber(text));
}

const COMMA_NUMBER = /^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?(?:[eE][+-]?\d+)?$/;

/** A number with a decimal comma and perhaps points between thousands, or NaN where it is none. */
export function parseCommaNumber(text: string): number {
  if (!COMMA_NUMBER.test(text)) return Number.NaN;
  return representable(Number(text.replaceAll(".", "").replace(",", ".")), text);
}

/** Digits alone stay a number however many they are: whether a column of them is one is asked of all (`large-integers.ts`). */
const representable = (value: number, text: string): number =>
  Number.isFinite(value) || !/e/i.test(text) ? value : Number.NaN;
