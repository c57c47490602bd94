import { describe, expect, test } from "vitest";
import { documentText } from "../parsing/document-text.ts";
import { parseText } from "../parsing/parse.ts";
import { extract } from "./extract.ts";
import { habitsOf } from "./extraction/habits.ts";
import { extractionPlanSchema } from "./schema.ts";

interface Asked {
  readonly id?: string;
  readonly kind: string;
  readonly locators: readonly object[];
  readonly enum?: readonly string[];
  readonly multiple?: boolean;
  readonly trust?: number;
}

function answer(text: string, asked: Asked, conventions: object = {}) {
  const { id = "field", kind, locators, enum: values = [], multiple = false, trust = 0.8 } = asked;
  const plan = extractionPlanSchema.parse({
    version: 1,
    conventions: {
      ...{ dayFirst: true, decimalComma: false, currency: "EUR", languages: ["en"] },
      ...conventions,
    },
    answerers: [
      {
        id,
        target: { kind, multiple, enum: values },
        locators: locators.map((locator) => ({ locator, trust })),
      },
    ],
  });
  const content = documentText(parseText("a.txt", text));
  const found = extract(plan, content)[id];
  if (found != null && found.span.text !== "") {
    expect(content.text.slice(found.span.start, found.span.end)).toBe(found.span.text);
  }
  return found;
}

const label = (...labels: string[]) => ({ kind: "label", labels, where: ["right", "below"] });

describe("an answer", () => {
  test("is the one of an enumeration that it means, in whatever language", () => {
    const asked = {
      kind: "text",
      enum: ["cash", "bank transfer"],
      locators: [label("forma de pago", "zahlungsart")],
    };
    expect(answer("Forma de pago: Transferencia", asked)?.value).toBe("bank transfer");
    expect(answer("Zahlungsart: Bar", asked)?.value).toBe("cash");
    expect(answer("Zahlungsart: Kreditkarte", asked)).toBeNull();
  });

  test("says where it stands", () => {
    expect(
      answer("A\n\nDate: 4 May 2018", { kind: "date", locators: [label("date")] }),
    ).toMatchObject({
      value: "2018-05-04",
      page: 1,
      span: { text: "4 May 2018", start: 8, end: 18, box: null },
    });
  });

  test("is less sure where day and month cannot be told apart, and says so", () => {
    const asked = { kind: "date", locators: [label("date"), label("signed")] };
    const dated = (text: string, isOrderShown?: boolean) => answer(text, asked, { isOrderShown });
    const open = "Date: 05/03/2024\nSigned: 05/03/2024";
    expect(dated(open, false)).toMatchObject({
      value: "2024-03-05",
      confidence: 0.6,
      note: "Day and month cannot be told apart, here or in the sample's documents; it was read with the day first.",
    });
    for (const settled of [
      dated(open, true),
      // Nobody looked, as in older schemas.
      dated(open),
      dated(`${open}\nDue: 25/03/2024`, false),
      dated("Date: 05/05/2024\nSigned: 05/05/2024", false),
      dated("Date: 05.03.2024\nSigned: 05.03.2024", false),
    ]) {
      expect(settled?.confidence).toBeGreaterThan(0.8);
      expect(settled).not.toHaveProperty("note");
    }
    const american = dated(`${open}\nDue: 03/25/2024`, false);
    expect(american).toMatchObject({ value: "2024-05-03" });
    expect(american).not.toHaveProperty("note");
  });

  test("is null where nothing is said", () => {
    expect(answer("Nothing of it", { kind: "date", locators: [label("date")] })).toBeNull();
  });

  test("is surer where locators agree, less sure where they do not", () => {
    const one = answer("Date: 4 May 2018", { kind: "date", locators: [label("date")] });
    const two = answer("Date: 4 May 2018\nSigned: 4 May 2018", {
      kind: "date",
      locators: [label("date"), label("signed")],
    });
    const torn = answer("Date: 4 May 2018\nSigned: 9 June 2017", {
      kind: "date",
      locators: [label("date"), label("signed")],
    });
    expect(two!.confidence).toBeGreaterThan(one!.confidence);
    expect(torn!.confidence).toBeLessThan(one!.confidence);
  });

  test("follows the locator that is trusted", () => {
    const text = "Date: 4 May 2018\nPrinted: 9 June 2018";
    const locators = [label("date"), label("printed")];
    expect(answer(text, { kind: "date", locators })!.value).toBe("2018-05-04");
    expect(answer(text, { kind: "date", locators, trust: 0.1 })).toBeNull();
  });

  test("is one of the values that are allowed, or none", () => {
    const asked = { kind: "text", locators: [label("status")], enum: ["approved", "not approved"] };
    expect(answer("Status: NOT APPROVED (see over)", asked)!.value).toBe("not approved");
    expect(answer("Status: Approved", asked)!.value).toBe("approved");
    expect(answer("Status: pending", asked)).toBeNull();
  });

  test("of several values joins them", () => {
    const text = "Tel: 03-8012 3456\nTel: 03-8012 9999";
    const asked = { kind: "phone", locators: [label("tel")], multiple: true };
    expect(answer(text, asked)!.value).toBe("0380123456; 0380129999");
  });

  test("to a clause that is nowhere is false, not null", () => {
    const asked = {
      kind: "boolean",
      locators: [{ kind: "presence", patterns: ["shall not compete"] }],
    };
    expect(answer("The seller shall not compete.", asked)!.value).toBe(true);
    expect(answer("The seller may do as it likes.", asked)).toMatchObject({
      value: false,
      span: { text: "", start: 0, end: 0 },
    });
  });
});

describe("an answer that is hardly sure", () => {
  const names = [
    "Alder Bakery",
    "Birch & Sons",
    "Cedar School",
    "Elm House Ltd",
    "Fir Hotel",
    "Oak",
  ];
  const company = (text: string, sureness: readonly number[]) => {
    const target = { kind: "organization", multiple: false, enum: [] } as const;
    const plan = extractionPlanSchema.parse({
      version: 1,
      conventions: { dayFirst: true, decimalComma: false, currency: null, languages: ["en"] },
      answerers: [
        {
          id: "company",
          target,
          locators: [{ locator: label("from"), trust: 0.5 }],
          habits: habitsOf(target, names, sureness),
        },
      ],
    });
    return extract(plan, documentText(parseText("a.txt", text)))["company"];
  };
  const sentence = "From: I am writing to you because the heating of our house is broken";

  test("is none: a sentence where the sample has names", () => {
    expect(company("From: Maple Kitchens", [0.5])).toMatchObject({ value: "Maple Kitchens" });
    expect(company(sentence, [0.5])).toBeNull();
    expect(company(sentence, [])).toBeNull();
  });
});

describe("arithmetic", () => {
  const total = { id: "total", kind: "money", locators: [label("total", "amount")] };

  test("tells the total from other amounts of its name: paid less change", () => {
    const text = "Amount 10.40\nTotal 11.02\nCash 20.00\nChange 9.60";
    expect(answer(text, total)!.value).toBe(10.4);
    const reversed = "Total 11.02\nAmount 10.40\nCash 20.00\nChange 9.60";
    expect(answer(reversed, total)!.value).toBe(10.4);
  });

  test("takes the rounded total for what is paid", () => {
    const text = "Total 7.72\nRounding -0.02\nTotal 7.70";
    expect(answer(text, total)!.value).toBe(7.7);
  });

  test("takes the sum of its parts for the total", () => {
    const text = "Total 100.00\nSubtotal 50.00\nTax 4.00\nTotal 54.00";
    expect(answer(text, total)!.value).toBe(54);
  });

  test("makes an amount that the rest confirms surer", () => {
    const alone = answer("Total 54.00", total)!;
    const confirmed = answer("Subtotal 50.00\nTax 4.00\nTotal 54.00", total)!;
    expect(confirmed.confidence).toBeGreaterThan(alone.confidence);
  });

  test("does not take the tax for more than the total", () => {
    const text = "Tax 54.00\nTax 4.00\nTotal 54.00";
    const tax = { id: "tax", kind: "money", locators: [label("tax")] };
    expect(answer(text, tax)!.value).toBe(4);
  });
});
