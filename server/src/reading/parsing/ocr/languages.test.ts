import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installedLanguages, languagesFor } from "./languages.ts";
import { type OpticalPage, readOptically } from "./optical-warning.ts";

const missing = () => Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" });

test("are English and those whose data is installed", () => {
  const found = installedLanguages((file) => {
    if (!/\/(?:eng|nld|deu)\//.test(file)) throw missing();
    return `file:///data/${file}`;
  });
  expect(found.map(({ name }) => name)).toEqual(["English", "German", "Dutch"]);
  expect(found[1]!.folder).toBe("/data/@tesseract.js-data/deu/4.0.0_best_int");
});

test("of this service have their data where it is said to be", () => {
  const languages = installedLanguages();
  expect(languages[0]!.code).toBe("eng");
  for (const { code, folder } of languages) {
    expect(existsSync(join(folder, `${code}.traineddata.gz`)), code).toBe(true);
  }
});

test("are not guessed at where looking for them fails", () => {
  const failing = () =>
    installedLanguages(() => {
      throw new Error("no disk");
    });
  expect(failing).toThrow("no disk");
});

const TEXTS = {
  deu: "Die Rechnung ist mit dem Betrag von 12 EUR zahlbar, bitte auf das Konto der Firma",
  fra: "La facture est payable dans les 30 jours et le montant total est pour votre compte",
  spa: "La factura del cliente y el importe total con los gastos que se pagan en la fecha",
  ita: "Fattura numero 12 della ditta, importo totale che non sono pagati per il cliente",
  por: "A fatura do cliente e o valor total da data para que se pague em uma conta",
  nld: "De factuur van uw bestelling is op het bedrag en niet met de btw voor een klantnummer",
} as const;

test("a text is read in its own first, which its commonest words tell", () => {
  const all = installedLanguages((file) => `file:///data/${file}`).map(({ code }) => code);
  expect(all).toHaveLength(7);
  for (const [code, text] of Object.entries(TEXTS)) {
    expect(languagesFor(text, all)).toEqual({ read: [code, "eng"], missing: null });
    expect(languagesFor(text, ["eng"])).toEqual({ read: ["eng"], missing: code });
  }
  const english = "The invoice is to be paid by the date that is on this page";
  expect(languagesFor(english, all)).toEqual({ read: ["eng"], missing: null });
  expect(languagesFor("48213 1,250.00", all)).toEqual({ read: all, missing: null });
});

test("a document says what it was read in, and which package is missing", () => {
  const page = (number: number, reading: Partial<OpticalPage["reading"]>): OpticalPage => ({
    number,
    reading: { sureness: 0.9, languages: ["eng"], missing: null, ...reading },
  });
  const pages = [
    page(1, { languages: ["deu", "eng"] }),
    page(2, { missing: "ita" }),
    page(3, { missing: "ita" }),
  ];
  expect(readOptically(pages, [])).toEqual([
    "Pages 1 to 3 were read optically (OCR, English, German); letters may be mistaken.",
    "Pages 2 to 3 were read without data of Italian, which the text seems to be in: letters with accents and the like are lost. Whoever runs the service installs it as the npm package @tesseract.js-data/ita; then delete the document and upload it again.",
  ]);
});
