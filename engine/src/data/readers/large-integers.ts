/**
 * Integers beyond 2^53 of one column: whether doubles still tell them apart. They do where each of them
 * is exactly a double, or where each is the shortest decimal of its double, as programs write doubles;
 * in a mix of both, as anywhere else, two different integers may become one number.
 */

export class LargeIntegers {
  #areExact = true;
  #areShortest = true;

  /**
   * @param digits of an integer, perhaps behind a minus sign, without zeros before them
   * @param value the double nearest to it
   * @returns whether it and all before it are told apart; one that is not is not counted
   */
  add(digits: string, value: number): boolean {
    if (Number.isSafeInteger(value)) return true;
    if (!Number.isFinite(value)) return false;
    const isExact = this.#areExact && BigInt(value) === BigInt(digits);
    const isShortest = this.#areShortest && shortestDigits(value) === digits;
    if (!isExact && !isShortest) return false;
    this.#areExact = isExact;
    this.#areShortest = isShortest;
    return true;
  }

  /** The digits of an integer that was added. */
  digitsOf(value: number): string {
    return this.#areExact ? String(BigInt(value)) : shortestDigits(value);
  }
}

const LARGE = /^([+-]?)0*([1-9]\d{15,})(?:\.0*)?$/;

/** The digits of a text that is a whole number of 16 digits or more, as `LargeIntegers` takes them. */
export function largeInteger(text: string): string | null {
  const match = LARGE.exec(text);
  if (match === null) return null;
  return match[1] === "-" ? `-${match[2]}` : match[2];
}

/** Whether the text is a whole number whose last digits the double nearest to it loses. */
export function losesDigits(text: string): boolean {
  const digits = largeInteger(text);
  return digits !== null && !new LargeIntegers().add(digits, Number(digits));
}

/** Decimals beyond these come of computing, and are rounded already. */
const MEANT_DECIMALS = 9;
/** Below it, a double holds each decimal of as many places. */
export const LEAST_ROUNDED = 1e6;
const DECIMAL = /^[+-]?0*(\d*)\.(\d*?)0*$/;

/**
 * Whether the text is a decimal whose last places the double nearest to it loses, so that two amounts may
 * become one number: `900719925474099.93`, or any place beyond 2^53.
 */
export function losesDecimals(text: string, value: number): boolean {
  const size = Math.abs(value);
  if (size < LEAST_ROUNDED) return false;
  const match = DECIMAL.exec(text);
  if (match === null || match[2] === "") return false;
  if (size > Number.MAX_SAFE_INTEGER) return true;
  const places = match[2].length;
  return places <= MEANT_DECIMALS && size.toFixed(places) !== `${match[1]}.${match[2]}`;
}

/** The fewest digits that name the double, and zeros up to the point. */
function shortestDigits(value: number): string {
  const [mantissa, exponent] = value.toExponential().split("e");
  const sign = value < 0 ? "-" : "";
  return sign + mantissa.replace(/[-.]/g, "").padEnd(Number(exponent) + 1, "0");
}
