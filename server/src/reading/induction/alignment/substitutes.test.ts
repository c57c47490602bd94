import { describe, expect, test } from "vitest";
import type { Mention, MentionOrigin } from "../candidates/mention.ts";
import { labelKey } from "../locators/label-key.ts";
import type { Normal, ValueKind } from "../values/value.ts";
import { align } from "./align.ts";
import type { AreApart } from "./substitutes.ts";

type Field = readonly [label: string, kind: ValueKind, value: Normal, origin?: MentionOrigin];

/** A document's labels with their values, in its order, ten letters apart. */
function form(documentId: string, fields: readonly Field[]): Mention[] {
  return fields.map(([label, kind, normal, origin = "label"], index) => ({
    origin,
    documentId,
    label,
    key: labelKey(label),
    kind,
    locator: { kind: "phrase", patterns: [`${labelKey(label)} {value}`], pick: "first" },
    finding: {
      normal,
      unit: null,
      text: String(normal),
      start: index * 10,
      end: index * 10 + 5,
      page: 1,
      confidence: 1,
    },
    neighbours: [null, null],
  }));
}

const keysOf = (forms: readonly Mention[][], areApart?: AreApart): string[][] =>
  align(forms.flat(), areApart).map(({ keys }) => [...keys].sort());

/** Two issuers, each with words of its own and in an order of its own. */
const one = (n: number): Mention[] =>
  form(`a${n}`, [
    ["Zorb", "text", n % 2 === 0 ? "Dog" : "Cat"],
    ["Qualm", "date", `2024-01-0${n + 1}`],
    ["Vexil", "date", `2024-03-0${n + 1}`],
    ["Plinth", "money", 40 + n],
    ["Grommet", "identifier", `KX${n}1`],
  ]);
const other = (n: number): Mention[] =>
  form(`b${n}`, [
    ["Frob", "money", 55 + n],
    ["Mungle", "date", `2023-05-0${n + 1}`],
    ["Snark", "identifier", `KX${n}2`],
    ["Wibble", "date", `2023-02-0${n + 1}`],
    ["Bandersnatch", "text", n % 2 === 0 ? "Cat" : "Dog"],
  ]);

describe("labels that documents have instead of each other", () => {
  test("are one by their values, in whatever order forms ask: dates by which is earlier", () => {
    expect(keysOf([one(0), one(1), one(2), other(0), other(1), other(2)])).toEqual(
      expect.arrayContaining([
        ["bandersnatch", "zorb"],
        ["qualm", "wibble"],
        ["mungle", "vexil"],
        ["frob", "plinth"],
        ["grommet", "snark"],
      ]),
    );
  });

  test("stay apart where one of the other's labels is as likely", () => {
    const two = (n: number): Mention[] =>
      form(`c${n}`, [
        ["Frob", "money", 55 + n],
        ["Frub", "money", 55 + n],
      ]);
    const keys = keysOf([0, 1, 2].flatMap((n) => [one(n), two(n)]));
    expect(keys).toContainEqual(["plinth"]);
  });

  test("stay apart where it is known that they name different things", () => {
    const all = [0, 1, 2].flatMap((n) => [one(n), other(n)]);
    const areApart: AreApart = (a, b) => [a, b].sort().join() === "frob,plinth";
    expect(keysOf(all, areApart)).toContainEqual(["plinth"]);
    expect(keysOf(all)).not.toContainEqual(["plinth"]);
  });

  test("are one where their letters have a root in common, though a single document has one", () => {
    const single = form("d", [["Diagnose", "text", "Otitis"]]);
    const more = (n: number): Mention[] => form(`e${n}`, [["Diagnosis", "text", `Gastritis ${n}`]]);
    expect(keysOf([single, more(0), more(1)])).toContainEqual(["diagnose", "diagnosis"]);
    const unknown = form("d", [["Snorkum", "text", "Otitis"]]);
    expect(keysOf([unknown, more(0), more(1)])).toContainEqual(["snorkum"]);
  });

  test("are one by their place among what both have, where values alone leave it open", () => {
    const cards = (labels: readonly [string, string]) => (n: number) =>
      form(labels[0] + n, [
        ["Receipt no.", "identifier", `R-${100 + n}`],
        [labels[0], "text", `Ann Lee ${n}`],
        ["Total", "money", 40 + n],
        [labels[1], "text", `Tom Day ${n}`],
        ["Due date", "date", `2024-01-1${n}`],
      ]);
    const [here, there] = [cards(["Qualm", "Frob"]), cards(["Wibble", "Snark"])];
    const keys = keysOf([0, 1, 2].flatMap((n) => [here(n), there(n)]));
    expect(keys).toEqual(
      expect.arrayContaining([
        ["qualm", "wibble"],
        ["frob", "snark"],
      ]),
    );
  });

  test("are one by place and values, though the glossary knows other senses of their words", () => {
    const report = (label: string, n: number): Mention[] =>
      form(`${label}${n}`, [
        ["Report date", "date", `2024-01-1${n}`],
        [label, "text", n % 2 === 0 ? "MV Lyra" : "MV Ceres"],
        ["Speed", "quantity", 12 + n],
        ["Master", "person", `Ann Lee ${n}`],
      ]);
    const keys = keysOf([0, 1, 2].flatMap((n) => [report("Ship", n), report("Vessel", n)]));
    expect(keys).toContainEqual(["ship", "vessel"]);
  });

  test("say one field in sentences and in boxes, by all of its phrases", () => {
    const box = (n: number): Mention[] =>
      form(`f${n}`, [["Closing date", "date", `2024-01-1${n}`]]);
    const told = (n: number): Mention[] => {
      const [close, quoting] = form(`g${n}`, [
        ["applications close", "date", `2024-02-1${n}`, "phrase"],
        ["quoting reference", "date", `2024-02-1${n}`, "phrase"],
      ]);
      return [close!, { ...quoting!, finding: close!.finding }];
    };
    const [field, ...rest] = align([box(0), box(1), told(0), told(1)].flat());
    expect(rest).toEqual([]);
    // A box's label names it.
    expect(field!.keys[0]).toBe("closing date");
    expect(field!.locators).toEqual([
      {
        kind: "phrase",
        patterns: [
          "applications close {value}",
          "closing date {value}",
          "quoting reference {value}",
        ],
        pick: "first",
      },
    ]);
  });
});

test("words of a sentence are told from no label by the glossary, labels are from each other", () => {
  const said = (id: string, label: string, value: number, origin: MentionOrigin) =>
    form(id, [
      [label, "money", value, origin],
      ["Zorb", "text", "Dog"],
    ]);
  const amounts = (other: string, origin: MentionOrigin): boolean =>
    keysOf([
      ...[1, 2, 3].map((n) => said(`a${n}`, "Rent amount", 900 + n, "label")),
      ...[1, 2, 3].map((n) => said(`b${n}`, other, 950 + n, origin)),
    ]).some((keys) => keys.length === 2 && keys.includes("rent amount"));
  expect(amounts("approved a loan of", "phrase")).toBe(true);
  expect(amounts("Loan amount", "label")).toBe(false);
});
