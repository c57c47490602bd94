/** Forms of kinds that no skill knows: several labels in a line, empty cells, what the use case names. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { documentText } from "../parsing/document-text.ts";
import { parseText } from "../parsing/parse.ts";
import { EmbeddedInducer } from "./embedded/embedded-inducer.ts";
import { type Answers, extract } from "./extract.ts";
import { induce } from "./induce.ts";
import type { SampleDocument } from "./inducer.ts";
import { skillBySlug } from "./skills/index.ts";

const signal = new AbortController().signal;

function sampleOf(name: string, text: string): SampleDocument {
  const hash = createHash("sha256").update(text).digest("hex");
  return { id: hash, name, hash, content: documentText(parseText(name, text)) };
}

function learn(texts: readonly string[], name: string, useCase: string, slug = "general") {
  return learnFrom(
    texts.map((text) => sampleOf(name, text)),
    useCase,
    slug,
  ).then((learned) => ({
    ...learned,
    ask: (text: string): Answers => extract(learned.plan, sampleOf(name, text).content),
  }));
}

async function learnFrom(documents: readonly SampleDocument[], useCase: string, slug: string) {
  const skill = skillBySlug(slug);
  if (skill === null) throw new Error(`there is no skill ${slug}`);
  const request = { useCase, skill, maxQuestions: 25 };
  const { schema, plan } = await induce(documents, request, new EmbeddedInducer(), { signal });
  return { ids: schema.questions.map(({ id }) => id), schema, plan };
}

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;

const PLACES = ["Springfield, IL", "Dayton, OH", "Reno, NV", "Boise, ID", "Fargo, ND"];

function occurrence(n: number, place = at(PLACES, n)): string {
  return [
    "Occurrence brief",
    "",
    `Place: ${place} File Number: AB${n}`,
    `Defining Event: ${at(["Hard landing", "Bird strike", "Fuel exhaustion"], n >> 1)} Injuries: ${at(["1 None", "1 Fatal", "2 Serious, 1 Minor"], n)}`,
    `Operator: ${at(["Valley Air Services School", "Prairie Flying Club", "none"], n >> 2)}`,
    `ELT: ${at(["activated", "not installed", "failed"], n)} Light: ${at(["day", "dusk"], n >> 1)}`,
    `Reported by: ${at(["Ann Lee", "Marcus Webb", "Sara Holm", "Mei Lin"], n)}`,
    "",
  ].join("\n");
}

describe("several labelled values on a line", () => {
  it.each([6, 12, 30])("are found whole by %i documents", async (size) => {
    const texts = Array.from({ length: size }, (_, n) => occurrence(n));
    const { ids, ask } = await learn(texts, "a.txt", "Compare the place and the light.");
    expect(ids).toEqual(expect.arrayContaining(["place", "light"]));
    expect(ask(occurrence(99, "Dayton, OH"))["place"]).toMatchObject({
      span: { text: "Dayton, OH" },
    });
  });

  it("are asked where the use case names them: acronyms, small letters, linking words", async () => {
    const texts = Array.from({ length: 12 }, (_, n) => occurrence(n));
    const { ids, schema } = await learn(
      texts,
      "a.txt",
      "Predict the damage by the ELT, the light, who it was reported by and the cargo.",
    );
    expect(ids).toEqual(expect.arrayContaining(["elt", "light", "reported_by"]));
    const elt = schema.questions.find(({ id }) => id === "elt");
    expect(elt!.enum.toSorted()).toEqual(["activated", "failed", "not installed"]);
    expect(schema.metadata["not_asked"]).toEqual([
      { name: "damage", reason: expect.stringContaining("no label in the sample") },
      { name: "cargo", reason: expect.stringContaining("no label in the sample") },
    ]);
  });

  it("count nobody where nobody is counted", async () => {
    const texts = Array.from({ length: 12 }, (_, n) => occurrence(n));
    const { ask } = await learn(texts, "a.txt", "Predict injuries.", "incident-report");
    const injured = (n: number) => {
      const { injury_reported: reported, injuries_count: count } = ask(occurrence(n));
      return [reported?.value, count?.value];
    };
    expect(injured(0)).toEqual([false, 0]);
    expect(injured(1)).toEqual([true, 1]);
    expect(injured(2)).toEqual([true, 3]);
  });
});

const permit = (n: number): Record<string, string> => ({
  "Permit class": at(["K1", "", "K2", "K3"], n),
  Species: at(["bovine", "ovine", "equine"], n),
  Sire: at(["", "Old Thunder", "Blue Boy"], n >> 1),
  "Issued to": at(["Ann Lee", "Marcus Webb", "Sara Holm"], n),
  "Vet clinic": at(["Hill Vet Clinic", "Farm Vets Ltd", ""], n >> 1),
  "Herd size": `${10 + n}`,
});

const USE = "Predict the permit class, the species, the sire and the vet clinic.";

describe.each([
  [
    "cells of a form",
    "a.html",
    (values: Record<string, string>) => {
      const cells = Object.entries(values).map(([k, v]) => `<td>${k}</td><td>${v}</td>`);
      const rows = [0, 2, 4].map((from) => `<tr>${cells.slice(from, from + 2).join("")}</tr>`);
      return `<h1>Permit</h1><table>${rows.join("")}</table><h2>Declaration</h2><p>Signed.</p>`;
    },
  ],
  [
    "labels with a colon",
    "a.txt",
    (values: Record<string, string>) =>
      `PERMIT\n\n${Object.entries(values)
        .map(([k, v]) => `${k}: ${v}`)
        .join("\n")}\n\nDECLARATION\nSigned.\n`,
  ],
  [
    "labels over their values",
    "a.txt",
    (values: Record<string, string>) =>
      `PERMIT\n\n${Object.entries(values)
        .map(([k, v]) => (v === "" ? `${k}:` : `${k}:\n${v}`))
        .join("\n")}\n\nDECLARATION\nSigned.\n`,
  ],
])("empty cells: %s", (_, name, write) => {
  it("are no answer: not the next label, no heading, not the next row's value", async () => {
    const texts = Array.from({ length: 16 }, (_unused, n) => write(permit(n)));
    const { ids, schema, ask } = await learn(texts, name, USE);
    expect(ids).toEqual(expect.arrayContaining(["permit_class", "species", "sire", "vet_clinic"]));
    const labels = Object.keys(permit(0)).map((label) => label.toLowerCase());
    const closed = schema.questions.flatMap((question) => question.enum);
    for (const value of closed) expect(labels).not.toContain(value.toLowerCase());
    for (let n = 40; n < 52; n++) {
      const gold = permit(n);
      const answers = ask(write(gold));
      for (const [id, label] of [
        ["permit_class", "Permit class"],
        ["sire", "Sire"],
        ["vet_clinic", "Vet clinic"],
        ["species", "Species"],
      ] as const) {
        expect([label, answers[id]?.span.text ?? ""]).toEqual([label, gold[label]]);
      }
    }
  });
});

const COLUMNS = ["Permit class", "Species", "Sire", "Vet clinic"] as const;
const WIDTH = 18;

/** A header over one row, in columns of characters; where a cell is empty, a gap. */
function inColumns(values: Record<string, string>, isToTheRight: boolean): string {
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell) => (isToTheRight ? cell.padStart(WIDTH - 2).padEnd(WIDTH) : cell.padEnd(WIDTH)))
      .join("")
      .trimEnd();
  const cells = COLUMNS.map((label) => values[label] ?? "");
  return `PERMIT\n\nHerd size: ${values["Herd size"]}\n\n${row(COLUMNS)}\n${row(cells)}\n\nDECLARATION\nSigned.\n`;
}

describe.each([false, true])(
  "a header in plain text over rows with gaps (to the right: %s)",
  (side) => {
    it("leaves each value to its own column", async () => {
      const texts = Array.from({ length: 16 }, (_unused, n) => inColumns(permit(n), side));
      const { ids, ask } = await learn(texts, "a.txt", USE);
      expect(ids).toEqual(
        expect.arrayContaining(["permit_class", "species", "sire", "vet_clinic"]),
      );
      for (let n = 40; n < 52; n++) {
        const gold = permit(n);
        const answers = ask(inColumns(gold, side));
        for (const [id, label] of [
          ["permit_class", "Permit class"],
          ["sire", "Sire"],
          ["vet_clinic", "Vet clinic"],
          ["species", "Species"],
        ] as const) {
          expect([n, label, answers[id]?.span.text ?? ""]).toEqual([n, label, gold[label]]);
        }
      }
    });
  },
);

const GOODS = ["Ceramic tiles", "Cotton shirts", "Electric motors", "Plastic tubes"];
const TERMS = ["FOB", "CIF", "EXW"];

/** Boxes in rows: what each is called over its value, with a number or without. */
function declaration(n: number, isNumbered: boolean): string[][] {
  const boxes = [
    [
      ["Exporter", `${at(PLACES, n).split(",")[0]} Trading`],
      ["Delivery terms", at(TERMS, n)],
    ],
    [
      ["Description of goods", at(GOODS, n >> 1)],
      ["Country of origin", at(["China", "Japan", "India"], n >> 2)],
    ],
    [
      ["Gross mass (kg)", (100 + 7.25 * n).toFixed(2)],
      ["Invoice value (EUR)", (900 + 11.5 * n).toFixed(2)],
    ],
  ] as const;
  return boxes.flatMap((pair, row) => {
    const labels = pair.map(([label], column) =>
      isNumbered ? `${2 * row + column + 1} ${label}` : label,
    );
    return [labels, pair.map(([, value]) => value)];
  });
}

/** As a page has it: each row a block of its own. */
function pageOf(rows: readonly (readonly string[])[]): SampleDocument {
  const text = JSON.stringify(rows);
  const hash = createHash("sha256").update(text).digest("hex");
  const blocks = rows.map((row, index) => ({
    kind: "paragraph" as const,
    lines: [
      {
        spans: row.map((piece, column) => {
          const [left, top] = [40 + 250 * column, 20 * index];
          return { text: piece, box: [left, top, left + 6 * piece.length, top + 10] as const };
        }),
      },
    ],
  }));
  const page = { number: 1, width: 600, height: 800, blocks };
  const parsed = { version: 1 as const, mediaType: "application/pdf", title: null, warnings: [] };
  return { id: hash, name: "a.pdf", hash, content: documentText({ ...parsed, pages: [page] }) };
}

describe("boxes with their labels over their values", () => {
  it("are told by their labels, whether a form numbers them or not", async () => {
    const sample = Array.from({ length: 14 }, (_, n) => pageOf(declaration(n, n % 2 === 0)));
    const { ids, schema, plan } = await learnFrom(sample, "Find shipments at risk.", "form");
    expect(ids).toEqual(
      expect.arrayContaining([
        "exporter",
        "delivery_terms",
        "description_of_goods",
        "country_of_origin",
        "gross_mass_kg",
        "invoice_value_eur",
      ]),
    );
    const gross = schema.questions.find(({ id }) => id === "gross_mass_kg");
    expect(gross).toMatchObject({ unit: "kg", question: "What is “Gross mass (kg)”, in kg?" });
    expect(schema.questions.find(({ id }) => id === "invoice_value_eur")!.unit).toBe("EUR");
    for (const isNumbered of [true, false]) {
      const answers = extract(plan, pageOf(declaration(21, isNumbered)).content);
      expect(answers["exporter"]!.span.text).toBe("Dayton Trading");
      expect(answers["description_of_goods"]!.value).toBe("Electric motors");
      expect(answers["country_of_origin"]!.value).toBe("India");
      expect(answers["gross_mass_kg"]!.value).toBe(252.25);
      expect(answers["invoice_value_eur"]!.value).toBe(1141.5);
    }
  });
});

describe("several layouts of one kind of document", () => {
  it("are asked once for what they call otherwise, and for what one alone has", async () => {
    const order = (n: number): string =>
      n % 2 === 0
        ? `ORDER\n\nItem: ${at(GOODS, n)}\nDeliver to: ${at(PLACES, n)}\nCost center: C${700 + n}\n`
        : `ORDER\n\nItem: ${at(GOODS, n)}\nShip-to city: ${at(PLACES, n)}\n`;
    const texts = Array.from({ length: 10 }, (_, n) => order(n));
    const { ids, ask } = await learn(texts, "a.txt", "Plan what is produced.");
    expect(ids).toEqual(expect.arrayContaining(["item", "deliver_to", "cost_center"]));
    expect(ids).not.toContain("ship_to_city");
    expect(ask(order(31))["deliver_to"]?.span.text).toBe("Dayton, OH");
    expect(ask(order(32))["deliver_to"]?.span.text).toBe(at(PLACES, 32));
    expect(ask(order(31))["cost_center"]).toBeNull();
  });
});

const NAMES = ["Ann Lee", "Marcus Webb", "Sara Holm", "Mei Lin", "Jonas Berg", "Priya Nair"];
const two = (n: number): string => String(n).padStart(2, "0");

describe("what skills know", () => {
  it("of letters from a hospital holds in its language", async () => {
    const letter = (n: number): string =>
      [
        "Entlassungsbrief",
        "",
        `Patient: ${at(NAMES, n)}`,
        `Geburtsdatum: ${two(1 + n)}.03.19${50 + n}`,
        "",
        `Wir berichten über den Aufenthalt vom ${two(1 + n)}.05.2031 bis ${two(9 + n)}.05.2031 in unserer stationären Behandlung.`,
        "",
        `Behandelnder Arzt: ${at(NAMES, n + 1)}`,
        "",
      ].join("\n");
    const texts = Array.from({ length: 12 }, (_, n) => letter(n));
    const { ask } = await learn(texts, "a.txt", "Predict readmission.", "clinical-note");
    const answers = ask(letter(15));
    expect(answers["date_of_birth"]?.value).toBe("1965-03-16");
    expect(answers["admission_date"]?.value).toBe("2031-05-16");
    expect(answers["discharge_date"]?.value).toBe("2031-05-24");
    expect(answers["physician"]?.value).toBe("Jonas Berg");
    expect(answers["patient_name"]?.value).toBe("Mei Lin");
  });

  it("of a sender is a person, and of contacts needs no label", async () => {
    const mail = (n: number): string => {
      const name = at(NAMES, n);
      const address = `${name.split(" ")[0]!.toLowerCase()}${n}@example.com`;
      return `From: ${name} <${address}>\nSubject: Order ${n}\n\nPlease send ${2 + n} lamps.\n`;
    };
    const texts = Array.from({ length: 12 }, (_, n) => mail(n));
    const { ids, ask } = await learn(texts, "a.txt", "Plan deliveries.");
    expect(ids).not.toContain("organization");
    expect(ask(mail(20))["author"]?.value).toBe("Sara Holm");
    expect(ask(mail(20))["email"]?.value).toBe("sara20@example.com");
  });

  it("is not forced on a label that is a letter away, nor lost by one that says less", async () => {
    const order = (n: number): string =>
      `Work order\n\nModel: ${at(["HX-200", "HX-450", "KL-300"], n)}\nDated: May ${1 + n}, 2031\n`;
    const texts = Array.from({ length: 12 }, (_, n) => order(n));
    const { ids } = await learn(texts, "a.txt", "Estimate costs of repairs.", "form");
    expect(ids).toContain("model");
    expect(ids).not.toContain("form_number");
    const lease = (n: number): string =>
      `LEASE\n\nDated May ${1 + n}, 2031\n\nThis Lease is entered into on May ${1 + n}, 2031 by and between ${at(NAMES, n)} and ${at(NAMES, n + 1)}.\n`;
    const leases = Array.from({ length: 12 }, (_, n) => lease(n));
    const learned = await learn(leases, "a.txt", "Compare leases.", "contract");
    expect(learned.ids).toContain("agreement_date");
  });

  it("is asked once where a label's text has its value in it, and no number for a no", async () => {
    const lease = (n: number) =>
      `Lease\n\nLandlord: ${at(["Ann Lee", "Mei Lin"], n)}\nFee: $${900 + n}.00 per month\nReport no.: 0${710 + n}\n`;
    const texts = Array.from({ length: 12 }, (_, n) => lease(n));
    const contract = await learn(texts, "a.txt", "Compare leases.", "contract");
    expect(contract.ids.filter((id) => id.startsWith("fee"))).toEqual(["fee"]);
    expect(contract.ask(lease(40))["fee"]?.value).toBe(940);
    const { ids, ask } = await learn(texts, "a.txt", "Compare leases.", "form");
    expect(ids.map((id) => ask(lease(40))[id]?.value)).toContain("0750");
  });

  it("counts what was bought, and a table its rows by another name", async () => {
    const bill = (n: number) =>
      `Shop Ltd\nDate: 0${1 + (n % 9)}.03.2024\nTotal items: ${n + 5}\n\nItem          Qty    Price\n` +
      Array.from({ length: 2 + (n % 3) }, (_, row) => {
        const name = at(
          ["Hose", "Bolts", "Board", "Wire", "Roller", "Bearing", "Gloves"],
          n + 2 * row,
        );
        return `${name.padEnd(14)}${row + 1}      ${row + n}.50\n`;
      }).join("");
    const texts = Array.from({ length: 14 }, (_, n) => bill(n));
    const { ask } = await learn(texts, "a.txt", "Count what is bought.", "invoice");
    expect(ask(bill(42))["item_count"]?.value).toBe(47);
    expect(ask(bill(42))["item_row_count"]?.value).toBe(2);
  });
});

describe("forms in words that nobody listed", () => {
  const answers = (n: number) => [
    `R-${4000 + 7 * n}`,
    `${10 + n}/05/2021`,
    String(3 + n),
    at(PLACES, n),
    at(["F", "M"], n >> 1),
    `${10 + n}/06/2021`,
  ];
  const ONE = ["Receipt no.", "Qualm", "Zorbs", "Frobs", "Sex", "Due date"];
  const OTHER = ["Quittungsnummer", "Wibble", "Plonk", "Grault", "Geschlecht", "Fällig am"];

  it("are asked once for what stands in one place, and for what a skill cannot read", async () => {
    const text = (labels: readonly string[], n: number): string =>
      labels.map((label, index) => `${label}: ${answers(n)[index]!}`).join("\n");
    const texts = Array.from({ length: 12 }, (_, n) => text(n % 2 === 0 ? ONE : OTHER, n));
    const { ids, ask } = await learn(texts, "a.txt", "Compare the cards.", "clinical-note");
    expect(ids.filter((id) => ["qualm", "wibble", "zorbs", "plonk"].includes(id))).toHaveLength(2);
    const asked = ids.find((id) => id === "zorbs" || id === "plonk")!;
    expect([text(ONE, 20), text(OTHER, 21)].map((each) => ask(each)[asked]?.value)).toEqual([
      23, 24,
    ]);
    expect(ids.filter((id) => ["sex", "geschlecht"].includes(id))).toHaveLength(1);
    expect(ids).not.toContain("patient_sex");
  });
});

describe("figures that sentences list", () => {
  const card = (n: number) => ({
    pressure: `${120 + n}/${70 + n}`,
    pulse: 60 + 2 * n,
    zorbs: 3 + n,
    file: `${n % 4 === 0 ? "0" : "7"}${100 + 13 * n}`,
  });
  const text = (n: number): string => {
    const { pressure, pulse, zorbs, file } = card(n);
    return n % 2 === 0
      ? `Case number: ${file}\nSeen at home. Blood pressure ${pressure}, heart rate ${pulse}, zorbs ${zorbs}. No complaints.`
      : `Fallnummer: ${file}\nBefund: Guter Zustand, Zorbs ${zorbs}. Blutdruck ${pressure} mmHg, Puls ${pulse}/min. Herz frei.`;
  };

  it("are asked for by the words before them, each once, and codes stay codes", async () => {
    const texts = Array.from({ length: 14 }, (_, n) => text(n));
    const { ids, ask } = await learn(texts, "a.txt", "Compare the visits.");
    for (const n of [20, 21]) {
      const values = Object.values(ask(text(n))).map((answer) => answer?.value ?? null);
      const { pressure, pulse, zorbs, file } = card(n);
      expect(values, ids.join(", ")).toEqual(
        expect.arrayContaining([pressure, pulse, zorbs, file]),
      );
    }
  });
});
