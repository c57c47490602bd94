import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { extractFile } from "../extract-file.ts";
import { type ExtractionPlan, extractionPlanSchema } from "../schema.ts";

const answerer = (id: string, kind: string, ...labels: string[]) => ({
  id,
  target: { kind, multiple: false, enum: [] },
  locators: [{ locator: { kind: "label", labels, where: ["right", "below"] }, trust: 0.8 }],
});

const number = answerer("invoice_number", "identifier", "invoice no");
const others = [
  answerer("tax_number", "identifier", "vat no"),
  answerer("date", "date", "date"),
  answerer("customer", "text", "bill to"),
  answerer("total", "money", "total"),
];

const planOf = (...answerers: object[]): ExtractionPlan =>
  extractionPlanSchema.parse({
    version: 1,
    conventions: { dayFirst: true, decimalComma: false, currency: "EUR", languages: ["en"] },
    answerers,
  });

const plan = planOf(number, ...others);

const head = (n: number): string =>
  `Osprey Tools Ltd\nINVOICE\n\nInvoice No.: INV-${n}\nVAT No.: GB 123 4567 82\nDate: ${10 + (n % 9)}/04/2024\n`;
const invoice = (n: number, customer: string): string =>
  `${head(n)}Bill to: ${customer}\n\nPaper  ${n}.00\n\nTotal: ${n}.00\n`;

const read = (text: string, by = plan) => {
  const content = documentText(parseText("a.txt", text));
  const { answers, warnings } = extractFile(by, content);
  return {
    values: Object.fromEntries(Object.entries(answers).map(([id, each]) => [id, each?.value])),
    warnings,
  };
};

const first = {
  invoice_number: "INV-2001",
  date: "2024-04-13",
  customer: "Alder Bakery",
  total: 2001,
};

test("of a page for each, the first is answered, and it is said that there are others", () => {
  const { values, warnings } = read(
    [
      invoice(2001, "Alder Bakery"),
      invoice(2002, "Birch Cafe"),
      invoice(2003, "Cedar School"),
    ].join("\f"),
  );
  expect(values).toMatchObject(first);
  expect(warnings).toEqual([
    expect.stringMatching(
      /several documents: invoice_number is INV-2001 on page 1, and INV-2002 on page 2\. .* first alone, up to page 1;/,
    ),
  ]);
});

test("what the first does not state is not taken from another", () => {
  const bare = invoice(2001, "Alder Bakery").replace(/Bill to.*\n/, "");
  const { values } = read(`${bare}\f${invoice(2002, "Birch Cafe")}`);
  expect(values).toMatchObject({ invoice_number: "INV-2001", total: 2001 });
  expect(values["customer"]).toBeUndefined();
});

test.each(["\n\n", "\n----------------\n\n"])(
  "one below the other on a page are two (%j)",
  (gap) => {
    const { values, warnings } = read(
      `${invoice(2001, "Alder Bakery")}${gap}${invoice(2002, "Birch Cafe")}`,
    );
    expect(values).toMatchObject(first);
    expect(warnings).toEqual([
      expect.stringContaining("up to its line 'Total: 2001.00' on page 1"),
    ]);
  },
);

test("documents without a number are told by their dates", () => {
  const unnumbered = (n: number, customer: string): string =>
    invoice(n, customer).replace(/Invoice No.*\n/, "");
  const { values, warnings } = read(
    `${unnumbered(2001, "Alder Bakery")}\f${unnumbered(2002, "Birch Cafe")}`,
    planOf(...others.slice(1)),
  );
  expect(values).toMatchObject({ date: "2024-04-13", customer: "Alder Bakery", total: 2001 });
  expect(warnings).toEqual([
    expect.stringContaining("date is 2024-04-13 on page 1, and 2024-04-14 on page 2"),
  ]);
});

test("one of several pages is one, whatever it repeats and refers to", () => {
  const whole = { ...first, total: 60 };
  for (const text of [
    // Its header on each page, and the total on the last.
    `${head(2001)}Bill to: Alder Bakery\n\nPaper  20.00\n\f${head(2001)}Ink  40.00\n\nTotal: 60.00\n`,
    // Another's number, on a page of its own and on its own page.
    `${head(2001)}Bill to: Alder Bakery\n\nTotal: 60.00\n\fCorrects\nInvoice No.: INV-1990\n`,
    `${head(2001)}Bill to: Alder Bakery\n\nCorrects invoice no.: INV-1990\n\nTotal: 60.00\n`,
    // The first page is a letter.
    `${head(2001)}Bill to: Alder Bakery\n\fInvoice No.: INV-2001\n\nTotal: 60.00\n`,
    `${head(2001)}Bill to: Alder Bakery\n\nTotal: 60.00\n\f\f\n`,
  ]) {
    const { values, warnings } = read(text);
    expect([text, values]).toMatchObject([text, whole]);
    expect(warnings.join()).not.toContain("several documents: ");
  }
});
