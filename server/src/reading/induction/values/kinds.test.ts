import { describe, expect, it } from "vitest";
import { passesLuhn } from "./check-digits.ts";
import { read } from "./kinds.ts";
import { recognise } from "./recognise.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "./value.ts";

const normal = (kind: ValueKind, text: string) => read(kind, text, NEUTRAL_CONVENTIONS)?.normal;
const found = (kind: ValueKind, text: string) =>
  recognise(text, NEUTRAL_CONVENTIONS, [kind]).map((value) => value.normal);

it.each([
  ["123 456,78", [123456.78]],
  ["Saldo: -1 234,56", [-1234.56]],
  ["(1 234,56)", [-1234.56]],
  ["3 500,00 4 600,00", [3500, 4600]],
])("reads the groups of %s where documents write decimals with a comma", (text, numbers) => {
  const comma = { ...NEUTRAL_CONVENTIONS, decimalComma: true };
  expect(recognise(text, comma, ["number"]).map((value) => value.normal)).toEqual(numbers);
});

describe("reading", () => {
  it.each<readonly [ValueKind, string, unknown]>([
    ["duration", "two (2) years", "P2Y"],
    ["duration", "twelve (12) months from the Effective Date", "P12M"],
    ["duration", "a period of 18 months", "P18M"],
    ["duration", "thirty (30) business days", "P30D"],
    ["duration", "2 years and 6 months", "P2Y6M"],
    ["duration", "6-month", "P6M"],
    ["duration", "seventy-two (72) hours", "PT72H"],
    ["duration", "zwei Jahre", "P2Y"],
    ["duration", "deux (2) ans", "P2Y"],
    ["duration", "tres meses", "P3M"],
    ["duration", "3 Jahre", "P3Y"],
    ["duration", "12 mois", "P12M"],
    ["duration", "perpetual", undefined],
    ["percent", "GST 6%", 6],
    ["percent", "5-1/4 percent", 5.25],
    ["percent", "½ percent", 0.5],
    ["percent", "(10)%", -10],
    ["percent", "per cent: 12.5", undefined],
    ["percent", "12.5", 12.5],
    ["quantity", "250 mL", 250],
    ["quantity", "3.58 mIU/L", 3.58],
    ["quantity", "10.0 10^3/uL", 10],
    ["quantity", "5 and/or 6", undefined],
    ["quantity", "65-year-old", 65],
    ["quantity", "1,200 shares", 1200],
    ["quantity", "1.5 million barrels", 1_500_000],
    ["number", "QTY: 3", 3],
    ["number", "Index: 6 864", 6864],
    ["number", "(1,234.50)", -1234.5],
    ["number", "-0.5", -0.5],
    ["number", "-$1,234.50", -1234.5],
    ["number", "−£5", -5],
    ["number", "(€7.50)", -7.5],
    ["number", "(€7)", 7],
    ["number", "twenty-four", 24],
    ["number", "none", undefined],
    ["number", "9556939040116", undefined],
    ["number", "9556939040116 KF MODELLING CLAY", undefined],
    ["number", "394328000000", 394328000000],
    ["number", "12345678901", 12345678901],
    ["phone", "TEL : 03-7731 8169", "0377318169"],
    ["phone", "+603-3362 4137", "+60333624137"],
    ["phone", "(408) 567-3000", "4085673000"],
    ["phone", "+31 (0)20 760 4101", "+31207604101"],
    ["phone", "12345", undefined],
    ["phone", "F: 6051 4321 98", "6051432198"],
    ["email", "Mail: John.Doe@Example.COM.", "john.doe@example.com"],
    ["email", "john at example", undefined],
    ["url", "see https://WWW.Example.com/Path/.", "https://www.example.com/Path"],
    ["url", "aws.amazon.com", "aws.amazon.com"],
    ["url", "shall.Be", undefined],
    ["identifier", "CS 67832", "CS 67832"],
    ["identifier", "DOCUMENT NO : TD01167104", "TD01167104"],
    ["identifier", "#BLR_WFLD20151000982590", "#BLR_WFLD20151000982590"],
    ["identifier", "Invoice Number: VF1005193039", "VF1005193039"],
    ["identifier", "01-143008", "01-143008"],
    ["identifier", "DE 232 446 240", "DE232446240"],
    ["identifier", "NL50 INGB 0683 2513 09", "NL50INGB0683251309"],
    ["identifier", "421 938 861", "421938861"],
    ["identifier", "42183017", "42183017"],
    ["identifier", "12/03/2018", undefined],
    ["identifier", "TEL: 03-7731 8169", undefined],
    ["identifier", "CASHIER", undefined],
    ["boolean", "Yes", true],
    ["boolean", ": No.", false],
    ["boolean", "[x]", true],
    ["boolean", "[ ]", false],
    ["boolean", "☒ applicable", true],
    ["boolean", "Nein", false],
    ["boolean", "maybe", undefined],
    ["text", "  : Two  words \n", "Two words"],
    ["text", " -- ", undefined],
    ["text", "15:50 h", "15:50"],
    ["text", "8:05 Uhr", "08:05"],
    ["text", "16 h 00", "16:00"],
    ["text", "4:05 p.m.", "16:05"],
    ["text", "12:30 am", "00:30"],
    ["text", "15:50 h sharp", "15:50 h sharp"],
    ["text", "31:50 h", "31:50 h"],
  ])("as %s %j gives %j", (kind, text, value) => {
    expect(normal(kind, text)).toBe(value);
  });

  it("says how a quantity is measured", () => {
    expect(read("quantity", "12 kgs", NEUTRAL_CONVENTIONS)?.unit).toBe("kg");
    expect(read("quantity", "25 basis points", NEUTRAL_CONVENTIONS)?.unit).toBe("bp");
  });

  it("is no less sure of a value alone than of one among words", () => {
    const alone = read("date", "25/12/2018", NEUTRAL_CONVENTIONS)!.certainty;
    const among = read("date", "delivered on 25/12/2018 by truck", NEUTRAL_CONVENTIONS)!.certainty;
    expect(alone).toBeGreaterThan(among);
  });
});

describe("recognising", () => {
  it("takes both ends of a range of percents", () => {
    expect(found("percent", "in a range of 1/4 to 1/2 percent")).toEqual([0.25, 0.5]);
  });

  it("takes no codes from words, sizes and ordinals", () => {
    expect(found("identifier", "25-basis-point, mid-2013, 2nd, 12mm, COVID, 10-K")).toEqual([]);
  });

  it("takes yes and no only where they stand alone", () => {
    expect(found("boolean", "Insured: Yes\nNo. 5 was not one of them\nPaid  no")).toEqual([
      true,
      false,
    ]);
  });

  it("takes no section's number for an amount", () => {
    const text = "10.38 Notices\nSection 2.01 applies\nFees  12.50";
    const values = recognise(text, { ...NEUTRAL_CONVENTIONS, currency: "USD" }, ["money"]);
    expect(values.map((value) => value.normal)).toEqual([12.5]);
  });
});

it("takes a code that begins with an F for no fax number", () => {
  const [only] = recognise("Your invoice F99898532 is due", NEUTRAL_CONVENTIONS);
  expect(only).toMatchObject({ kind: "identifier", normal: "F99898532" });
});

describe("check digits", () => {
  it("are Luhn's", () => {
    expect(passesLuhn("79927398713")).toBe(true);
    expect(passesLuhn("79927398710")).toBe(false);
  });

  it("are not needed where the groups are those of an IBAN", () => {
    const misread = "DE89 3704 0044 0532 0130 01";
    const [only] = recognise(`Konto ${misread} bei der Bank`, NEUTRAL_CONVENTIONS);
    expect(only).toMatchObject({ kind: "identifier", normal: misread.replaceAll(" ", "") });
  });

  it("make an IBAN certain, and without them it is a code like others", () => {
    const certainty = (text: string) => read("identifier", text, NEUTRAL_CONVENTIONS)!.certainty;
    expect(certainty("GB82WEST12345698765432")).toBeGreaterThan(0.95);
    expect(certainty("GB82WEST12345698765433")).toBeLessThan(0.9);
  });
});
