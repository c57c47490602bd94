import { describe, expect, it } from "vitest";
import type { Finding } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { skillSchema } from "../skills/skill.ts";
import { NEUTRAL_CONVENTIONS, type Normal, type ValueKind } from "../values/value.ts";
import { isFieldName } from "./field-name.ts";
import { areValues, refinedKind } from "./field-values.ts";
import { weighLocators } from "./trust.ts";

const skill = skillSchema.parse({
  slug: "test",
  title: "Test",
  description: "For tests.",
  document_types: ["test"],
  vocabulary: ["zollnummer"],
  fields: [],
  avoid: ["thank you", "page"],
});

function finding(text: string, normal: Normal = text): Finding {
  return { normal, unit: null, text, start: 0, end: text.length, page: 1, confidence: 1 };
}

describe("names of fields", () => {
  const isName = (label: string): boolean => isFieldName(label, labelKey(label), skill);

  it("say what is asked for", () => {
    for (const label of [
      "Delivery date",
      "Invoice no.",
      "Driver name",
      "Blood loss",
      "Zollnummer",
      "Max. pressure",
      "Max. druk",
    ]) {
      expect(isName(label), label).toBe(true);
    }
  });

  it("of a form may be acronyms and end in words that link; of running text they end in no verb", () => {
    const isLabelled = (label: string): boolean =>
      isFieldName(label, labelKey(label), skill, { isLabelled: true, isNamed: false });
    for (const label of ["ELT", "VIN", "Reported by", "Flight conducted under", "Issued to"]) {
      expect(isLabelled(label), label).toBe(true);
      expect(isName(label), label).toBe(false);
    }
    for (const label of ["position requires", "the company shall", "contract is"]) {
      expect(isName(label), label).toBe(false);
    }
    for (const label of ["target range", "notice period"]) {
      expect(isName(label), label).toBe(true);
    }
  });

  it("are labels in any script", () => {
    for (const label of ["חשבונית מספר", "التاريخ", "Дата рождения", "Ημερομηνία", "請求書番号"]) {
      const evidence = { isLabelled: true, isNamed: false };
      expect([label, isFieldName(label, labelKey(label), skill, evidence)]).toEqual([label, true]);
    }
  });

  it("of a form may be words that say little elsewhere, but no address of a sender", () => {
    const isLabelled = (label: string): boolean =>
      isFieldName(label, labelKey(label), skill, { isLabelled: true, isNamed: false });
    expect(["Item", "Type", "Description"].map(isLabelled)).toEqual([true, true, true]);
    expect(["Item", "Type", "Total"].map(isName)).toEqual([false, false, false]);
    expect(["Your order", "Our reference"].map(isLabelled)).toEqual([true, true]);
    expect(["Your order", "Our"].map(isName)).toEqual([false, false]);
    expect(["Total", "Page", "Nummer", "mg/dL"].map(isLabelled)).not.toContain(true);
    expect(isLabelled("Harbour Sales <sales@harbour.example> wrote")).toBe(false);
  });

  it("are no pieces of sentences, nor what names nothing or is boilerplate", () => {
    for (const label of [
      "in accordance with",
      "Attorney General under this Act is",
      "Total",
      "5. Each item checked above must",
      "Corporate debt securities, (In",
      "Serial no: TN",
      "Thank you for shopping",
      "Page",
      "qzx",
      "01/02/2020",
    ]) {
      expect(isName(label), label).toBe(false);
    }
  });
});

describe("values of fields", () => {
  const are = (kind: ValueKind, findings: readonly Finding[], pages = 1): boolean => {
    const content = { text: "", lines: [], pages };
    const documents = findings.map((_, id) => ({ id: `${id}`, name: "", hash: `${id}`, content }));
    return areValues(kind, findings, documents, (key) => key === "preferred stock");
  };

  it("are no sentences that go on, passages, labels or numbers of pages", () => {
    expect(are("text", [finding("North"), finding("South")])).toBe(true);
    expect(are("text", [finding("and the rest of it"), finding("of which more")])).toBe(false);
    expect(are("text", [finding("Word ".repeat(30)), finding("Word ".repeat(40))])).toBe(false);
    expect(are("text", [finding("Preferred stock"), finding("Preferred stock")])).toBe(false);
    const numbers = [finding("12", 12), finding("31", 31)];
    expect(are("number", numbers, 40)).toBe(false);
    expect(are("number", numbers, 1)).toBe(true);
  });

  it("that say yes and no are both said", () => {
    const [yes, no] = [finding("X", true), finding("None", false)];
    expect(are("boolean", [yes, no, yes, no])).toBe(true);
    expect(are("boolean", [no, no, no, no])).toBe(false);
  });

  it("that say yes or no beside a label are said, though all but one say None", () => {
    const [yes, no] = [finding("1 Fatal", true), finding("None", false)];
    const labelled = (findings: readonly Finding[]) =>
      areValues("boolean", findings, [], () => false, true);
    expect(labelled([yes, no, no, no])).toBe(true);
    expect(are("boolean", [yes, no, no, no])).toBe(false);
    expect(labelled([no, no, no, no])).toBe(false);
  });

  it("are read as the kind that almost all of them hold", () => {
    const stamps = ["06/12/2018 4:52 PM", "07/17/2018 5:54 PM"].map((text) => finding(text));
    expect(refinedKind("text", stamps, NEUTRAL_CONVENTIONS)).toBe("date");
    expect(refinedKind("text", [finding("North")], NEUTRAL_CONVENTIONS)).toBe("text");
    expect(refinedKind("money", stamps, NEUTRAL_CONVENTIONS)).toBe("money");
  });
});

describe("trust", () => {
  const row = (...values: (string | null)[]) =>
    values.map((value) => (value === null ? null : finding(value)));

  it("goes to locators that find what the others find", () => {
    const right = row("a", "b", "c", "d", "e", "f");
    const wrong = row("x", "x", "x", "x", "x", "x");
    const { trusts, agreement } = weighLocators("text", [right, wrong, right]);
    expect(trusts[0]).toBeGreaterThan(trusts[1]!);
    expect(trusts[2]).toBeGreaterThan(trusts[1]!);
    expect(agreement).toBeGreaterThan(0.3);
    expect(agreement).toBeLessThan(1);
  });

  it("is that of the order where nothing can be compared", () => {
    const { trusts, agreement } = weighLocators("text", [row("a", null), row(null, "b")]);
    expect(agreement).toBeNull();
    expect(trusts[0]).toBeGreaterThan(trusts[1]!);
  });

  it("does not depend on the order of the documents", () => {
    const [a, b] = [row("a", "b", null, "d"), row("a", "c", "c", "d")];
    const back = [a, b].map((each) => [...each].reverse());
    expect(weighLocators("text", back)).toEqual(weighLocators("text", [a, b]));
  });
});
