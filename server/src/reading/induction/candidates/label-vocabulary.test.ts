import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { learnLabels } from "./label-vocabulary.ts";

const learned = (texts: readonly string[], name = "a.txt") =>
  learnLabels(texts.map((text) => documentText(parseText(name, text))));

const PLACES = ["Springfield, IL", "Dayton, OH", "Reno, NV", "Boise, ID"];

describe("labels of a sample", () => {
  it("are told from the values before them by what comes back", () => {
    const texts = PLACES.map((place, n) => `Place: ${place} File Number: AB${n}`);
    expect(learned(texts)).toEqual(["file no", "place"]);
  });

  it("are those of one layout, too, and no answers that come back in several", () => {
    const row = (label: string, value: string) => `<tr><td>${label}</td><td>${value}</td></tr>`;
    const layouts = [
      (n: number) =>
        row("Protection class", `IP${44 + 10 * (Math.floor(n / 3) % 3)}`) + row("Power", `${n} W`),
      (n: number) =>
        row("Beschermingsgraad", `IP${44 + 10 * (Math.floor(n / 3) % 3)}`) +
        row("Vermogen", `${n} W`),
      (n: number) => row("Sold by", `Acme ${n} Ltd`) + row("Globex GmbH", `Total ${n}`),
    ];
    const texts = Array.from({ length: 24 }, (_, n) => `<table>${layouts[n % 3]!(n)}</table>`);
    const labels = learned(texts, "a.html");
    expect(labels).toEqual(
      expect.arrayContaining([
        "protection class",
        "power",
        "beschermingsgraad",
        "vermogen",
        "sold by",
      ]),
    );
    for (const answer of ["ip44", "ip54", "ip64", "globex gmbh"])
      expect(labels).not.toContain(answer);
  });

  it("are no answers that come back behind their label here and under it there", () => {
    const stations = ["KVRT", "WPLQ"];
    const layouts = [
      (n: number) => `Client:   Acme ${n} Ltd   Station:   ${stations[n % 2]}`,
      (n: number) => `Property   Sales office\n${stations[n % 2]}       Office ${n}`,
    ];
    const texts = Array.from({ length: 12 }, (_, n) => layouts[Math.floor(n / 2) % 2]!(n));
    const labels = learned(texts);
    expect(labels).toEqual(expect.arrayContaining(["client", "station", "property"]));
    for (const station of ["kvrt", "wplq"]) expect(labels).not.toContain(station);
  });

  it("are in all documents of a layout, where a name that comes again over one is in some", () => {
    const names = ["Ann Lee", "Tom Baker", "Eva Stone", "Paul Reed", "Ida Moss", "Sara Holm"];
    const texts = Array.from({ length: 12 }, (_, n) =>
      [
        `${names[n % 6]!}        C-${100 + n}`,
        "Participant        Certificate number",
        `${8 + n}        ${names[(n + 1) % 6]!}`,
        "Contact hours        Instructor",
      ].join("\n"),
    );
    const labels = learned(texts);
    expect(labels).toEqual(expect.arrayContaining(["participant", "instructor"]));
    for (const name of names) expect(labels).not.toContain(name.toLowerCase());
  });

  it("are no terms that orders of one layout have in turn", () => {
    const terms = ["DAP", "EXW", "FCA"];
    const texts = Array.from({ length: 12 }, (_, n) =>
      [
        `Order ${n}   Buyer`,
        `${90 + n}   Acme ${n} Ltd`,
        "Incoterm   Place",
        `${terms[n % 3]!}   Dock ${n}`,
        `Weight   ${n} kg`,
      ].join("\n"),
    );
    for (const term of terms) expect(learned(texts)).not.toContain(term.toLowerCase());
  });

  it("begin behind what a list parts before them", () => {
    const texts = [12.6, 14.1, 9.8].map(
      (n) => `Hémoglobine : ${n} g/dl ; plaquettes : ${Math.round(20 * n)} G/l`,
    );
    expect(learned(texts)).toEqual(["hemoglobine", "plaquettes"]);
  });

  it("stand side by side with their colons, and are no answers to each other", () => {
    const texts = [4, 7, 9, 3].map(
      (n) =>
        `<table><tr><td>Buyer:</td><td>Supplier:</td></tr><tr><td>A${n}</td><td>B${n}</td></tr></table>`,
    );
    expect(learned(texts, "a.html")).toEqual(["buyer", "supplier"]);
  });

  it("begin with a capital, though a unit comes back before them", () => {
    const texts = [12, 7, 31, 4].map((n) => `Wind Speed: ${n} knots Visibility: ${n + 1} miles`);
    expect(learned(texts)).toEqual(["visibility", "wind speed"]);
  });

  it("are no answers that have a colon of their own", () => {
    const texts = [91, 135, 137, 91].map(
      (n, index) => `Conducted under:  Part ${n}: ${PLACES[index]}\nFiled: ${n}`,
    );
    expect(learned(texts)).toEqual(["conducted under", "filed"]);
  });

  it("are labels of terms beside an open label", () => {
    const texts = [1, 2, 3].map((n) => `Ship to:    Your order: ${n}7\nAcme ${n} Ltd`);
    expect(learned(texts)).toEqual(["ship to", "your order"]);
  });

  it("are no answers that come again behind terms", () => {
    const layouts = [
      (value: string, n: number) => `Vehicle        ${value}\nTotal due      ${n}1`,
      (value: string, n: number) => `Fahrzeug       ${value}\nGesamtbetrag   ${n}3`,
    ];
    const texts = Array.from({ length: 10 }, (_, n) =>
      layouts[n % 2]!(n % 3 ? "Estate" : `V${n}`, n),
    );
    expect(learned(texts)).not.toContain("estate");
    expect(learned(texts)).toContain("vehicle");
  });

  it("are headings and cells that stand between different things, not answers", () => {
    const cell = (label: string, value: string) => `<td>${label}</td><td>${value}</td>`;
    const texts = ["K1", "K2", "", "K2", "K1"].map(
      (value, n) =>
        `<h1>Permit</h1><table><tr>${cell("Class", value)}${cell("Species", n % 2 ? "bovine" : "ovine")}</tr>` +
        `<tr>${cell("Herd", `${n}`)}${cell("Country", "Norway")}</tr></table>`,
    );
    const labels = learned(texts, "a.html");
    expect(labels).toEqual(expect.arrayContaining(["class", "species", "herd", "country"]));
    expect(labels).not.toContain("k2");
    expect(labels).not.toContain("bovine");
    expect(labels).not.toContain("norway");
  });

  it("do not depend on the order of the documents", () => {
    const texts = PLACES.map(
      (place, n) => `Place: ${place} Ref ${n}\nOutcome:\n${"abc"[n % 3]}x y`,
    );
    const order = fc.shuffledSubarray(texts, { minLength: texts.length });
    fc.assert(
      fc.property(order, (shuffled) => {
        expect(learned(shuffled)).toEqual(learned(texts));
      }),
      { numRuns: 20 },
    );
  });
});
