import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { EmbeddedInducer } from "../embedded/embedded-inducer.ts";
import { extract } from "../extract.ts";
import { induce } from "../induce.ts";
import { skillBySlug } from "../skills/index.ts";
import {
  choiceOf,
  habitsOf,
  habitsSchema,
  leastSureness,
  likenessOf,
  presenceOf,
} from "./habits.ts";

const COMPANY = { kind: "organization", multiple: false } as const;
const NAMES = [
  "Harbour Lane Stationery",
  "Northfield Garden Supplies",
  "Quayside Marine Stores",
  "Millbrook Furniture Makers",
  "Harbour Lane Stationery",
  "Eastgate Pharmacy Supplies",
];

describe("an answer's likeness to the sample's", () => {
  const habits = habitsOf(COMPANY, NAMES);
  const likeness = (name: string) => likenessOf(COMPANY, habits, name);

  it("is more than nothing where the sample had it, less where a letter is off", () => {
    expect(likeness("HARBOUR LANE STATIONERY")).toBeGreaterThan(2);
    const other = likeness("Northgate Pharmacy Makers");
    expect(likeness("Harbour Lane Stationery")).toBeGreaterThan(other);
    expect(likeness("Northgate Phaimacy Makers")).toBeLessThan(0.6 * other);
  });

  it("is little for a name that is cut short or drawn out", () => {
    const whole = likeness("Westbury Clock Repairs");
    expect(likeness("Repairs")).toBeLessThan(0.7 * whole);
    const long = Array.from({ length: 15 }, () => "Westbury Clock").join(" ");
    expect(likeness(long)).toBeLessThan(0.7 * whole);
  });

  it("counts the values of several, and the characters of codes", () => {
    const parties = { kind: "organization", multiple: true } as const;
    const two = habitsOf(parties, ["Orme; Pell", "Quine; Rusk", "Sorley; Tamm", "Udall; Voss"]);
    const one = likenessOf(parties, two, "Wick");
    expect(likenessOf(parties, two, "Wick; Yarrow")).toBeGreaterThan(one);
    const code = { kind: "identifier", multiple: false } as const;
    const codes = habitsOf(code, ["AB-10293", "AB-10377", "AC-20111", "AC-20333"]);
    expect(likenessOf(code, codes, "AD-30999")).toBeGreaterThan(likenessOf(code, codes, "7"));
  });

  it("says nothing where there is no sample, and of what is neither read by words nor by length", () => {
    expect(likenessOf(COMPANY, habitsOf(COMPANY, []), "Orme Ltd")).toBeGreaterThan(0.5);
    const date = { kind: "date", multiple: false } as const;
    expect(likenessOf(date, habitsOf(date, ["2020-01-02"]), "1999-01-02")).toBe(1);
  });

  it("keeps no word that the sample held", () => {
    expect(JSON.stringify(habits).toLowerCase()).not.toMatch(/harbour|lane|pharmacy/);
  });
});

test("a clause is missed the likelier the more of the sample have it, and found by mistake the less", () => {
  const said = (stated: number) =>
    habitsOf(
      { kind: "boolean", multiple: false },
      Array.from({ length: 20 }, (_, n) => n < stated),
    );
  const shares = [0, 5, 10, 15, 20];
  const absent = shares.map((stated) => presenceOf(said(stated), 0));
  const present = shares.map((stated) => presenceOf(said(stated), 1));
  expect(absent).toEqual(absent.toSorted((a, b) => b - a));
  expect(present).toEqual(present.toSorted((a, b) => a - b));
  expect([absent[0]! > 0.95, absent[4]! < 0.4, present[4]! > 0.95]).toEqual([true, true, true]);
  for (const [index, once] of present.entries()) {
    expect(presenceOf(said(shares[index]!), 2)).toBeGreaterThan(once);
  }
  for (const chance of [...absent, ...present]) {
    expect(chance).toBeGreaterThan(0);
    expect(chance).toBeLessThan(1);
  }
});

const SHOPS = [
  ["HARBOUR LANE STATIONERY SDN BHD", "12, JALAN MAWAR 3/4,", "43000 KAJANG, SELANGOR."],
  ["NORTHFIELD GARDEN SUPPLIES SDN BHD", "8, JALAN MELATI 7,", "81100 JOHOR BAHRU, JOHOR."],
  ["QUAYSIDE MARINE STORES SDN BHD", "NO. 5, JALAN ANGGERIK 2,", "40150 SHAH ALAM, SELANGOR."],
  ["EASTGATE PHARMACY SUPPLIES SDN BHD", "21, JALAN TERATAI 9,", "47400 PETALING JAYA, SELANGOR."],
] as const;

function receipt(n: number, misread: (text: string) => string): string {
  const [name, street, town] = SHOPS[n % SHOPS.length]!;
  const cents = (n * 737) % 9000;
  return [
    misread(name),
    street,
    misread(town),
    `DATE: ${String(1 + (n % 28)).padStart(2, "0")}/0${1 + (n % 9)}/2018`,
    `RECEIPT NO: R${1000 + n}`,
    `TOTAL ${((500 + cents) / 100).toFixed(2)}`,
    "THANK YOU",
  ].join("\n");
}

test("names and addresses whose letters were misread are less sure than those that were not, or none", async () => {
  const contentOf = (text: string) => documentText(parseText("a.txt", text));
  const sample = Array.from({ length: 16 }, (_, n) => {
    const text = receipt(n, (whole) => whole);
    const hash = createHash("sha256").update(text).digest("hex");
    return { id: hash, name: "a.txt", hash, content: contentOf(text) };
  });
  const skill = skillBySlug("invoice")!;
  const request = { useCase: "Which shop and where it is.", skill, maxQuestions: 25 };
  const { signal } = new AbortController();
  const { plan } = await induce(sample, request, new EmbeddedInducer(), { signal });
  for (let n = 20; n < 24; n++) {
    const right = extract(plan, contentOf(receipt(n, (whole) => whole)));
    const wrong = extract(
      plan,
      // The second letter of each longer word, as recognition might.
      contentOf(receipt(n, (whole) => whole.replace(/\b([A-Z])[A-Z](?=[A-Z]{3})/g, "$1I"))),
    );
    for (const id of ["company", "address"]) {
      expect([id, (wrong[id]?.confidence ?? 0) < right[id]!.confidence - 0.1]).toEqual([id, true]);
    }
  }
});

test("an answer must be the surer to be given, the surer the sample's were by their places", () => {
  const least = (confidences: readonly number[]) =>
    leastSureness(habitsOf(COMPANY, NAMES, confidences));
  expect(least([])).toBe(0.1);
  expect(least([0.2, 0.3, 0.4])).toBe(0.1);
  expect(least([0.1, 0.9, 0.9])).toBeCloseTo(0.18, 10);
  const { shapes: _, sureness: __, ...older } = habitsOf(COMPANY, NAMES, [0.9]);
  expect(leastSureness(habitsSchema.parse(older))).toBe(0.1);
});

test("a value is the less sure the more others were found", () => {
  const shares = [0, 1, 2, 5, 40].map(choiceOf);
  expect(shares.slice(0, 2)).toEqual([1, 1]);
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  expect(shares[4]).toBeGreaterThan(0.4);
});
