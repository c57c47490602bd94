/** Which labels a skill's question is for, and which it is not forced on. */

import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { extract } from "../extract.ts";
import { induce } from "../induce.ts";
import { skillBySlug } from "../skills/index.ts";
import type { Skill } from "../skills/skill.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { EmbeddedInducer } from "./embedded-inducer.ts";
import { proposeSkillField } from "./skill-field.ts";

const invoice = skillBySlug("invoice")!;
const without = (id: string): Skill => ({
  ...invoice,
  fields: invoice.fields.filter((field) => field.id !== id),
});

const PEOPLE = ["Ann Lee", "Marcus Webb", "Sara Holm", "Mei Lin", "Jonas Berg", "Priya Nair"];

const receipt = (label: string, n: number): string =>
  [
    "HARBOUR LANE STATIONERY LTD",
    "12 Quay Street, Leeds",
    `Receipt no: R${1000 + n}`,
    `Date: ${10 + n}/05/2021`,
    `${label}: ${PEOPLE[n % PEOPLE.length]}`,
    `Total: ${(12 + 3 * n).toFixed(2)}`,
  ].join("\n");

async function asked(label: string, skill: Skill) {
  const contentOf = (text: string) => documentText(parseText("a.txt", text));
  const sample = Array.from({ length: 12 }, (_, n) => {
    const id = String(n).padStart(3, "0");
    return { id, name: id, hash: id, content: contentOf(receipt(label, n)) };
  });
  const request = { useCase: "Compare receipts by who was at work.", skill, maxQuestions: 25 };
  const { signal } = new AbortController();
  const { schema, plan } = await induce(sample, request, new EmbeddedInducer(), { signal });
  const ids = schema.questions.map(({ id }) => id);
  return { ids, answers: extract(plan, contentOf(receipt(label, 3))) };
}

describe("a question of a skill", () => {
  it("knows the values that a later document is the first to have", () => {
    const field = invoice.fields.find(({ id }) => id === "payment_method")!;
    const proposed = (ending: string) => {
      const text = `${receipt("Cashier", 1)}\n${ending}`;
      const content = documentText(parseText("a.txt", text));
      const sample = [{ id: "a", name: "a.txt", hash: "a", content }];
      return proposeSkillField(field, sample, NEUTRAL_CONVENTIONS);
    };
    const says = proposed("Paid with VISA")!.locators.map(({ locator }) =>
      locator.kind === "phrase" ? locator.says : null,
    );
    expect(says).toEqual(expect.arrayContaining(["card", "iDEAL", "PayPal"]));
    expect(proposed("Thank you")).toBeNull();
  });

  it("is asked where its label stands, however it is written", async () => {
    for (const label of ["Served by", "SERVED BY", "Cashier"]) {
      const { ids, answers } = await asked(label, invoice);
      expect([label, ids.includes("salesperson"), answers["cashier"]?.value]).toEqual([
        label,
        false,
        "Mei Lin",
      ]);
    }
  });

  it("is not forced on a label of another person: who sold is not who served", async () => {
    for (const skill of [invoice, without("salesperson")]) {
      const { ids, answers } = await asked("Salesperson", skill);
      expect(ids).not.toContain("cashier");
      expect(answers["salesperson"]?.value).toBe("Mei Lin");
    }
  });

  it("is not forced on a label that no skill knows, though its values are people too", async () => {
    const { ids, answers } = await asked("Inspected by", invoice);
    expect(ids).not.toContain("cashier");
    expect(ids).not.toContain("salesperson");
    expect(answers["inspected_by"]?.value).toBe("Mei Lin");
  });
});
