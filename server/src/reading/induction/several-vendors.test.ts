/** Papers of one kind from several senders, each with its own labels, language and layout. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { documentText } from "../parsing/document-text.ts";
import type { ParsedDocument } from "../parsing/normal-form.ts";
import { parseText } from "../parsing/parse.ts";
import { EmbeddedInducer } from "./embedded/embedded-inducer.ts";
import { extract } from "./extract.ts";
import { induce } from "./induce.ts";
import type { SampleDocument } from "./inducer.ts";
import { skillBySlug } from "./skills/index.ts";

const signal = new AbortController().signal;

function sampleOf(document: ParsedDocument): SampleDocument {
  const hash = createHash("sha256").update(JSON.stringify(document)).digest("hex");
  return { id: hash, name: hash, hash, content: documentText(document) };
}

async function learn(documents: readonly ParsedDocument[], useCase: string, slug = "general") {
  const request = { useCase, skill: skillBySlug(slug)!, maxQuestions: 25 };
  const sample = documents.map(sampleOf);
  const { schema, plan } = await induce(sample, request, new EmbeddedInducer(), { signal });
  const ask = (document: ParsedDocument, id: string) =>
    extract(plan, sampleOf(document).content)[id]?.value ?? null;
  return { ids: schema.questions.map(({ id }) => id), ask };
}

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;
const MATERIALS = ["Cast iron", "Steel", "Polymer"];
const KLASSES = ["IP44", "IP54", "IP65"];

const english = (n: number) =>
  parseText(
    "a.html",
    `<h1>Pump datasheet</h1><table><tr><td>Rated power</td><td>${200 + 50 * n} W</td></tr>` +
      `<tr><td>Protection class</td><td>${at(KLASSES, n)}</td></tr>` +
      `<tr><td>Noise level</td><td>${40 + n} dB</td></tr>` +
      `<tr><td>Housing material</td><td>${at(MATERIALS, n)}</td></tr></table>`,
  );
const dutch = (n: number) =>
  parseText(
    "a.txt",
    `PRODUCTBLAD POMP\n\nNominaal vermogen:    ${200 + 50 * n} W\nBeschermingsgraad:    ${at(KLASSES, n)}\n` +
      `Geluidsniveau:        ${40 + n} dB\nMateriaal behuizing:  ${at(["Gietijzer", "Staal", "Kunststof"], n)}\n`,
  );

describe("papers of several senders", () => {
  it("answer one question by labels of one meaning, whatever the language", async () => {
    const documents = Array.from({ length: 16 }, (_, n) => (n % 2 ? dutch(n) : english(n)));
    const { ids, ask } = await learn(documents, "Compare pumps.");
    const id = (label: string) => ids.find((each) => each === label) ?? "nothing";
    const [power] = ["rated_power", "nominaal_vermogen"].filter((each) => ids.includes(each));
    const [noise] = ["noise_level", "geluidsniveau"].filter((each) => ids.includes(each));
    expect(
      [ids.includes("rated_power"), ids.includes("nominaal_vermogen")].filter(Boolean),
    ).toEqual([true]);
    expect(id("protection_class") === "nothing" && id("beschermingsgraad") === "nothing").toBe(
      false,
    );
    for (const write of [english, dutch]) {
      expect([ask(write(31), power!), ask(write(31), noise!)]).toEqual([1750, 71]);
    }
  });

  it("are asked what their labels say though each is one of several layouts' alone", async () => {
    const layouts = [
      (n: number) =>
        `<table><tr><td>Guest</td><td>${at(NAMES, n)}</td><td>Voucher</td><td>V${n}07</td></tr></table>`,
      (n: number) => `<p>Stay of ${n} nights</p><p>Room ${n}</p>`,
      (n: number) => `<p>Thank you for staying ${n} times.</p>`,
    ];
    const documents = Array.from({ length: 24 }, (_, n) =>
      parseText("a.html", `<h1>Hotel</h1>${at(layouts, n)(n)}<p>Goodbye</p>`),
    );
    const { ids, ask } = await learn(documents, "Sort bookings.");
    expect(ids).toContain("guest");
    expect(ask(parseText("a.html", `<h1>Hotel</h1>${layouts[0]!(2)}<p>Goodbye</p>`), "guest")).toBe(
      at(NAMES, 2),
    );
  });

  it("name a party in a cell with its address below, line by line", async () => {
    const order = (n: number) =>
      parseText(
        "a.html",
        `<table><tr><td>Buyer:<br>${at(FIRMS, n)}<br>${n} Mill Lane<br>Leeds<br>Attn: ${at(NAMES, n)}</td>` +
          `<td>Supplier:<br>${at(FIRMS, n + 3)}<br>${n} High Street<br>York</td></tr></table><p>Thank you.</p>`,
      );
    const documents = Array.from({ length: 14 }, (_, n) => order(n));
    const { ids, ask } = await learn(documents, "Check who orders what from which supplier.");
    expect(ids).toEqual(expect.arrayContaining(["buyer", "supplier", "attn"]));
    expect(["buyer", "supplier", "attn"].map((id) => ask(order(40), id))).toEqual([
      at(FIRMS, 40),
      at(FIRMS, 43),
      at(NAMES, 40),
    ]);
  });

  it("have labels under the blanks that they name", async () => {
    const certificate = (n: number): ParsedDocument => ({
      version: 1,
      mediaType: "application/pdf",
      title: null,
      warnings: [],
      pages: [
        {
          number: 1,
          width: 600,
          height: 800,
          blocks: [
            {
              kind: "paragraph",
              lines: [
                [["CERTIFICATE", 200, 100, 20]],
                [
                  [at(NAMES, n), 60, 200, 12],
                  [`C-${100 + n}`, 360, 200, 12],
                ],
                [
                  ["Participant", 60, 214, 8],
                  ["Certificate number", 360, 214, 8],
                ],
                [
                  [`${8 + n}`, 60, 260, 12],
                  [at(NAMES, n + 5), 360, 260, 12],
                ],
                [
                  ["Contact hours", 60, 274, 8],
                  ["Instructor", 360, 274, 8],
                ],
              ].map((pieces) => ({
                spans: (pieces as [string, number, number, number][]).map(([text, x, y, size]) => ({
                  text,
                  size,
                  box: [x, y, x + 5 * text.length, y + size] as [number, number, number, number],
                })),
              })),
            },
          ],
        },
      ],
    });
    const documents = Array.from({ length: 14 }, (_, n) => certificate(n));
    const { ids, ask } = await learn(documents, "Track who completed which training.");
    const asked = ["participant", "instructor", "contact_hours"];
    expect(ids).toEqual(expect.arrayContaining(asked));
    expect(asked.map((id) => ask(certificate(40), id))).toEqual([at(NAMES, 40), at(NAMES, 45), 48]);
  });
});

const NAMES = [
  "Ann Lee",
  "Marcus Webb",
  "Sara Holm",
  "Tom Baker",
  "Eva Stone",
  "Paul Reed",
  "Ida Moss",
];
const FIRMS = [
  "Acme Ltd",
  "Globex GmbH",
  "Initech Inc",
  "Umbra Ltd",
  "Hooli LLC",
  "Stark AG",
  "Wayne Ltd",
];

describe("parties of orders in several languages", () => {
  const FIRMS = ["Acme Tools Ltd", "Globex Inc.", "Optik Baum GmbH", "Reuter KG", "Dumoulin SARL"];
  const STREETS = ["12 Mill Lane", "9 Harbour Street", "40 Cedar Avenue", "7 Market Square"];
  const TOWNS = ["Leeds LS2 7EW", "Bristol BS1 4ND", "Norwich NR3 1AB"];
  const GOODS = ["Hex bolts", "Hose", "Oak board", "Copper wire", "Paint roller", "Ball bearing"];
  const WORDS = [
    ["Purchase order", "PO number", "Vendor", "Ship to", "Item", "Qty", "Price"],
    ["Bestellung", "Bestellnummer", "Lieferant", "Lieferadresse", "Artikel", "Menge", "Preis"],
    ["Ordine", "Numero ordine", "Fornitore", "Spedire a", "Descrizione", "Quantità", "Prezzo"],
    ["Pedido", "Número de pedido", "Proveedor", "Enviar a", "Concepto", "Cantidad", "Precio"],
  ];
  const order = (n: number) => {
    const [title, no, vendor, shipTo, item, quantity, price] = at(WORDS, n);
    const row = (left: string, right: string) => left.padEnd(34) + right;
    return parseText(
      "a.txt",
      [
        title,
        "",
        `${no}: A-${47100 + n}`,
        "",
        row(vendor!, shipTo!),
        row(at(FIRMS, n), at(FIRMS, n + 2)),
        row(at(STREETS, n), at(STREETS, n + 1)),
        row(at(TOWNS, n), at(TOWNS, n + 1)),
        "",
        row(item!, `${quantity}    ${price}`),
        row(at(GOODS, n), `${n + 2}        1.50`),
        row(at(GOODS, n + 3), `${n + 3}        9.50`),
      ].join("\n"),
    );
  };

  it("are asked with where they live, and what was ordered as lists", async () => {
    const sample = Array.from({ length: 12 }, (_, n) => order(n));
    const { ids, ask } = await learn(sample, "Check purchase orders.", "invoice");
    expect(ids).toEqual(expect.arrayContaining(["company", "address", "customer_address"]));
    const asked = order(21);
    expect(ask(asked, "company")).toBe("Globex Inc.");
    expect(ask(asked, "address")).toBe("9 Harbour Street, Leeds LS2 7EW");
    expect(ask(asked, "customer_address")).toBe("40 Cedar Avenue, Bristol BS1 4ND");
    const [list] = ids.filter((id) => /_list$/.test(id) && ask(asked, id) === "23; 24");
    expect(list).toBeDefined();
  });
});

describe("labels that no document of the sample has", () => {
  const WORDS = [
    ["Donor", "Staff no.", "Nights"],
    ["Spender", "Personalnummer", "Übernachtungen"],
  ];
  const receipt = (n: number, words = at(WORDS, n)) =>
    parseText(
      "a.txt",
      `Receipt ${n}\n\n${words[0]}: ${at(["Ann Lee", "Ruth Cole", "Mei Lin"], n)}\n` +
        `${words[1]}: 0${770 + n}\n${words[2]}: ${n + 2}\n`,
    );

  it("are understood by what they mean; a code keeps its zeros", async () => {
    const sample = Array.from({ length: 12 }, (_, n) => receipt(n));
    const { ids, ask } = await learn(sample, "Find who stayed.", "form");
    const french = receipt(40, ["Donateur", "Matricule", "Nuitées"]);
    const answered = ids.map((id) => ask(french, id));
    expect(answered).toEqual(expect.arrayContaining(["Ruth Cole", "0810", 42]));
  });
});

describe("numbers that one document has side by side", () => {
  it("are two questions though a skill knows both as one", async () => {
    const form = (n: number) =>
      parseText(
        "a.txt",
        `Notice\n\nFile no.: F${n}07\nRegistration number: R${n}55\nCause: ${at(["Fire", "Theft", "Storm"], n)}\n`,
      );
    const documents = Array.from({ length: 12 }, (_, n) => form(n));
    const { ids, ask } = await learn(documents, "Settle claims.", "form");
    const answers = ids.map((id) => ask(form(31), id));
    expect(answers).toEqual(expect.arrayContaining(["F3107", "R3155"]));
  });
});
