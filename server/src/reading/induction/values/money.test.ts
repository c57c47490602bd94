import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { read } from "./kinds.ts";
import { parseNumeral } from "./numeral.ts";
import { recognise } from "./recognise.ts";
import { type Conventions, NEUTRAL_CONVENTIONS } from "./value.ts";

const point = NEUTRAL_CONVENTIONS;
const comma: Conventions = { ...point, decimalComma: true };

function grouped(digits: string, mark: string, inner = 3): string {
  const head = digits.slice(0, -3);
  if (head === "") return digits;
  const groups: string[] = [];
  for (let end = head.length; end > 0; end -= inner)
    groups.unshift(head.slice(Math.max(0, end - inner), end));
  return `${groups.join(mark)}${mark}${digits.slice(-3)}`;
}

const CULTURES: readonly (readonly [(whole: string, cents: string) => string, Conventions])[] = [
  [(whole, cents) => `${whole}.${cents}`, point],
  [(whole, cents) => `${whole},${cents}`, comma],
  [(whole, cents) => `${grouped(whole, ",")}.${cents}`, point],
  [(whole, cents) => `${grouped(whole, ".")},${cents}`, comma],
  [(whole, cents) => `${grouped(whole, " ")},${cents}`, comma],
  [(whole, cents) => `${grouped(whole, "\u202f")},${cents}`, comma],
  [(whole, cents) => `${grouped(whole, "'")}.${cents}`, point],
  [(whole, cents) => `${grouped(whole, ",", 2)}.${cents}`, point],
];
const CURRENCIES: readonly (readonly [(amount: string) => string, string])[] = [
  [(amount) => `$${amount}`, "USD"],
  [(amount) => `RM ${amount}`, "MYR"],
  [(amount) => `RM${amount}`, "MYR"],
  [(amount) => `EUR ${amount}`, "EUR"],
  [(amount) => `${amount} €`, "EUR"],
  [(amount) => `${amount}€`, "EUR"],
  [(amount) => `€ ${amount}`, "EUR"],
  [(amount) => `£${amount}`, "GBP"],
  [(amount) => `${amount} zł`, "PLN"],
  [(amount) => `Rs. ${amount}`, "INR"],
  [(amount) => `CHF ${amount}`, "CHF"],
  [(amount) => `${amount} dollars`, "USD"],
];
const amounts = fc.record({
  whole: fc.integer({ min: 0, max: 98_765_432 }),
  cents: fc.integer({ min: 0, max: 99 }),
});
const two = (number: number): string => String(number).padStart(2, "0");

describe("money", () => {
  it("comes back from every way to write it", () => {
    fc.assert(
      fc.property(
        amounts,
        fc.constantFrom(...CULTURES),
        fc.constantFrom(...CURRENCIES),
        fc.constantFrom("", "Total: ", "TOTAL (incl. tax) :  ", "* "),
        ({ whole, cents }, [write, conventions], [put, currency], label) => {
          const text = `${label}${put(write(String(whole), two(cents)))}`;
          const value = read("money", text, conventions);
          expect([value?.normal, value?.unit], text).toEqual([
            Number(`${whole}.${two(cents)}`),
            currency,
          ]);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("comes back without a currency, less surely, in the documents' one", () => {
    fc.assert(
      fc.property(
        amounts,
        fc.constantFrom(...CULTURES),
        ({ whole, cents }, [write, conventions]) => {
          const text = write(String(whole), two(cents));
          const value = read("money", text, { ...conventions, currency: "PLN" });
          expect(value?.normal, text).toBe(Number(`${whole}.${two(cents)}`));
          expect(value?.unit).toBe("PLN");
          expect(value!.certainty).toBeLessThan(0.6);
        },
      ),
    );
  });

  it.each([
    ["TOTAL (RM) : *9.00", 9, null],
    ["-RM0.02", -0.02, "MYR"],
    ["RM -5.00", -5, "MYR"],
    ["$(1,234.50)", -1234.5, "USD"],
    ["(USD 1,234.50)", -1234.5, "USD"],
    ["$1.5 million", 1_500_000, "USD"],
    ["USD 2 bn", 2_000_000_000, "USD"],
    ["RM 12.00 M", 12, "MYR"],
    ["$12.5K", 12_500, "USD"],
    ["RM12.30SR", 12.3, "MYR"],
    ["1 000 000 EUR", 1_000_000, "EUR"],
    ["Rp 12.500", 12_500, "IDR"],
    ["¥1,250", 1250, "JPY"],
    ["US$ 250", 250, "USD"],
    ["$0.00001", 0.00001, "USD"],
    ["9 .00", 9, null],
    ["9. 00", 9, null],
    ["five hundred dollars ($500.00)", 500, "USD"],
    ["Rs. 12,34,567.00", 1234567, "INR"],
    ["45", 45, null],
    ["-12.50", -12.5, null],
  ])("%s is %d %s", (written, normal, unit) => {
    const value = read("money", written, point);
    expect([value?.normal, value?.unit]).toEqual([normal, unit]);
  });

  it.each(["TOTAL", "", "N/A", "25/12/2018", "12%"])("%j is none", (written) => {
    expect(read("money", written, point)).toBeNull();
  });

  it("reads $ as the documents' dollar", () => {
    expect(read("money", "$5.00", { ...point, currency: "SGD" })?.unit).toBe("SGD");
    expect(read("money", "$5.00", { ...point, currency: "MYR" })?.unit).toBe("USD");
  });

  it("is found without a currency only where asked for, or where the documents have one", () => {
    const kinds = (conventions: Conventions) =>
      recognise("TOTAL  9.00", conventions).map(({ kind }) => kind);
    expect(kinds(point)).toEqual(["number"]);
    expect(kinds({ ...point, currency: "MYR" })).toEqual(["money"]);
    expect(recognise("TOTAL  9.00", point, ["money"]).map(({ normal }) => normal)).toEqual([9]);
  });

  it("leaves a column's sign to its own amount", () => {
    const found = recognise("$ 4.38  $ 4.86", point, ["money"]);
    expect(found.map(({ normal }) => normal)).toEqual([4.38, 4.86]);
  });
});

describe("a lone separator before three digits", () => {
  it("is read by the documents' convention", () => {
    expect(parseNumeral("1.234", false)).toBe(1.234);
    expect(parseNumeral("1.234", true)).toBe(1234);
    expect(parseNumeral("1,234", false)).toBe(1234);
    expect(parseNumeral("1,234", true)).toBe(1.234);
    expect(parseNumeral("0,234", false)).toBe(0.234);
    expect(parseNumeral("12,34", false)).toBe(12.34);
    expect(parseNumeral("1,23,4567", false)).toBeNull();
  });
});

describe("signs behind an amount", () => {
  it.each([
    ["1,234.56 CR", -1234.56],
    ["1,234.56CR", -1234.56],
    ["$1,234.56 CR", -1234.56],
    ["1,234.56 DR", 1234.56],
    ["USD 99.00DR", 99],
    ["100.00 EUR-", -100],
    ["1,234.56 USD CR", -1234.56],
    ["100.00-", -100],
    ["$100.00 -", -100],
  ])("%s", (text, normal) => {
    expect(read("money", text, NEUTRAL_CONVENTIONS)).toMatchObject({ normal });
  });

  it("are none between the two amounts of a range", () => {
    const amounts = (text: string): unknown[] =>
      recognise(text, NEUTRAL_CONVENTIONS, ["money"]).map(({ normal }) => normal);
    for (const text of ["$40 - $55 a day", "$40 – $55", "$40-$55", "$40.00 - $55.00"]) {
      expect(amounts(text), text).toEqual([40, 55]);
    }
    expect(amounts("10 € - 55 €").at(-1)).toBe(55);
    expect(amounts("Total -$5.00")).toEqual([-5]);
    expect(amounts("balance 5 -$3.00")).toEqual([-3]);
  });

  it("are no beginnings of words", () => {
    expect(read("money", "100.00 CREDIT", NEUTRAL_CONVENTIONS)).toMatchObject({ normal: 100 });
    expect(read("money", "100.00 EUR-based", NEUTRAL_CONVENTIONS)).toMatchObject({ normal: 100 });
  });
});
