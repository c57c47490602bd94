import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessEncoding } from "./guess.ts";
import { encoded, namesIn } from "./testing/encoders.ts";

const OTHER_SCRIPTS: readonly (readonly [string, readonly string[]])[] = [
  ["windows-1251", ["ru", "uk", "be", "bg", "mk", "sr", "ky"]],
  ["koi8-r", ["ru", "bg"]],
  ["koi8-u", ["uk"]],
  ["iso-8859-5", ["ru", "bg", "sr"]],
  ["ibm866", ["ru"]],
  ["x-mac-cyrillic", ["ru"]],
  ["windows-1253", ["el"]],
  ["iso-8859-7", ["el"]],
  ["windows-1255", ["he"]],
  ["windows-1256", ["ar"]],
  ["iso-8859-6", ["ar"]],
  ["windows-874", ["th"]],
  ["shift_jis", ["ja"]],
  ["euc-jp", ["ja"]],
  ["euc-kr", ["ko"]],
  ["gb18030", ["zh"]],
  ["big5", ["zh-Hant"]],
];
const CENTRAL: readonly (readonly [string, readonly string[]])[] = [
  ["windows-1250", ["pl", "cs", "sk", "hu", "ro", "hr", "sl"]],
  ["iso-8859-2", ["pl", "cs", "sk", "hu", "ro", "hr", "sl"]],
  ["windows-1254", ["tr"]],
  ["windows-1257", ["lt", "lv", "et"]],
];
const WESTERN = "de fr es pt it nl sv da nb fi is ca eu gl en af cy ga sq et".split(" ");
/** What stands in tables beside words. */
const SIGNS =
  "don’t|5 m² à 20 °C|£5|€ 12|naïve – yes|“a”|½ kg|l’été|© 2024 Müller|n° 7|¿qué?|10 µm|ÀÉÈ|é|±5|§ 5|Š|R&D·x".split(
    "|",
  );

/** A table of names: as they are, in small letters, or in capitals. */
function table(language: string, rows: readonly number[]): string {
  const names = namesIn(language);
  const lines = rows.map((pick, row) => {
    const name = names[pick % names.length] ?? "";
    return `${row},${[name, name.toLocaleLowerCase(language), name.toLocaleUpperCase(language)][pick % 3]},${pick}.5`;
  });
  return `id,name,amount\n${lines.join("\n")}\n`;
}

const rows = (minLength: number, maxLength: number) =>
  fc.array(fc.nat(1_000_000), { minLength, maxLength });
const runs = { seed: 7, numRuns: 12 };
const decode = (bytes: Uint8Array, encoding: string): string =>
  new TextDecoder(encoding).decode(bytes);
const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80);

describe("guessEncoding", () => {
  it.each(OTHER_SCRIPTS)("tells %s from a few words", (encoding, languages) => {
    for (const language of languages) {
      fc.assert(
        fc.property(rows(8, 60), (picks) => {
          const bytes = encoded(table(language, picks), encoding);
          expect(decode(bytes, guessEncoding(bytes))).toBe(decode(bytes, encoding));
        }),
        runs,
      );
    }
  });

  it.each(CENTRAL)(
    "takes %s for itself or for Windows-1252, and for no third",
    (encoding, languages) => {
      for (const language of languages) {
        fc.assert(
          fc.property(rows(1, 100), (picks) => {
            const bytes = encoded(table(language, picks), encoding);
            if (isAscii(bytes)) return;
            const read = decode(bytes, guessEncoding(bytes));
            expect([decode(bytes, encoding), decode(bytes, "windows-1252")]).toContain(read);
          }),
          runs,
        );
      }
    },
  );

  it.each([
    ["windows-1250", "pl"],
    ["windows-1250", "cs"],
    ["iso-8859-2", "pl"],
    ["windows-1254", "tr"],
    ["windows-1257", "lv"],
  ])("tells %s from many words of %s", (encoding, language) => {
    const bytes = encoded(namesIn(language).join("\n"), encoding);
    expect(guessEncoding(bytes)).toBe(encoding);
  });

  it.each([
    ["windows-1250", "Łukasz Małgorzata Paweł Michał Stanisław"],
    ["iso-8859-2", "Łukasz Małgorzata Paweł Michał Stanisław"],
    ["windows-1250", "Jabłoński Wiśniewski Dąbrowska Zając"],
    ["iso-8859-2", "Tomáš Lukáš Matěj Ondřej Růžena"],
    ["windows-1250", "Żaneta Grażyna Bożena Łukasz"],
    ["windows-1254", "Şahin Yıldız Doğan Ateş Güneş Çelik"],
    ["windows-1257", "Šiauliai Kėdainiai Mažeikiai Panevėžys"],
    ["windows-1257", "Jānis Mārtiņš Kārlis Pēteris Ģirts"],
  ])("tells %s from the few letters of %s", (encoding, names) => {
    const lines = names.split(" ").map((name, row) => `${row},${name},${row}.5`);
    const bytes = encoded(`id,name,amount\n${lines.join("\n")}\n`, encoding);
    expect(decode(bytes, guessEncoding(bytes))).toBe(decode(bytes, encoding));
  });

  it.each([
    "Müller Größe Häuser Jürgen Schröder",
    "François Hélène Zoë Benoît Cœur",
    "Muñoz Peña Núñez José Begoña",
    "Gonçalves João Conceição Simões",
    "Þórður Guðrún Sigríður Ásþór Norðurþing Hafþór",
    "Østergård Sørensen Kjær Ærø",
    "Åström Sjöberg Mäkinen Hämäläinen",
    "Nicolò Forlì Libertà Perché",
    "Õun Jõgeva Põltsamaa Šmidt Žukov",
    "Gëzim Çelë Shqipëri Përmet",
    "Nm³h m³a m²K x³y Vm³o",
    "Itaú São Nm³ho Nm³ha",
  ])("keeps Windows-1252 of %s", (names) => {
    const lines = names.split(" ").map((name, row) => `${row},${name},${row}.5`);
    const bytes = encoded(`id,name,amount\n${lines.join("\n")}\n`, "windows-1252");
    expect(decode(bytes, guessEncoding(bytes))).toBe(decode(bytes, "windows-1252"));
  });

  it.each(WESTERN)("keeps Windows-1252, however few the words of %s are", (language) => {
    fc.assert(
      fc.property(rows(1, 100), (picks) => {
        const bytes = encoded(table(language, picks), "windows-1252");
        if (isAscii(bytes)) return;
        expect(decode(bytes, guessEncoding(bytes))).toBe(decode(bytes, "windows-1252"));
      }),
      runs,
    );
  });

  it("keeps Windows-1252 where several languages and signs stand in one table", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom(...WESTERN), rows(1, 6), fc.constantFrom(...SIGNS, "", "", "")),
          { minLength: 1, maxLength: 8 },
        ),
        (parts) => {
          const text = parts.map(
            ([language, picks, sign]) => `${table(language, picks)}${sign},\n`,
          );
          const bytes = encoded(text.join(""), "windows-1252");
          if (isAscii(bytes)) return;
          expect(decode(bytes, guessEncoding(bytes))).toBe(decode(bytes, "windows-1252"));
        },
      ),
      { seed: 11, numRuns: 200 },
    );
  });
});
