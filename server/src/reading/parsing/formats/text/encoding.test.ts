import { describe, expect, it } from "vitest";
import { decodeText } from "./encoding.ts";

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

/** Bytes of Windows-1252 where Latin-1 has none. */
const WINDOWS = new Map([
  ["€", 0x80],
  ["’", 0x92],
  ["–", 0x96],
  ["œ", 0x9c],
]);

describe("decodeText", () => {
  it("goes by the byte order mark", () => {
    expect(decodeText(Buffer.from("\ufeffTotal €")).text).toBe("Total €");
    expect(decodeText(Buffer.from("\ufeffTotal €", "utf16le")).text).toBe("Total €");
    expect(decodeText(utf16be("\ufeffTotal €")).text).toBe("Total €");
  });

  it("sees UTF-16 without a mark by its zeros", () => {
    expect(decodeText(Buffer.from("Total 12.00 EUR", "utf16le")).text).toBe("Total 12.00 EUR");
    expect(decodeText(utf16be("Total 12.00 EUR")).text).toBe("Total 12.00 EUR");
  });

  it("takes valid UTF-8 for UTF-8", () => {
    expect(decodeText(Buffer.from("Należność ogółem"))).toEqual({
      text: "Należność ogółem",
      encoding: "utf-8",
    });
  });

  it("guesses the encodings of Europe by their letters", () => {
    // "Rechnung für Käufer, Größe, Straße, €" in Windows-1252.
    const german = Buffer.from(
      "Rechnung f\xfcr K\xe4ufer, Gr\xf6\xdfe, Stra\xdfe, \x80 5",
      "latin1",
    );
    expect(decodeText(german).text).toBe("Rechnung für Käufer, Größe, Straße, € 5");
    // "Счёт на оплату товаров и услуг" in Windows-1251.
    const russian = Buffer.from(
      "d1f7b8f220ede020eeefebe0f2f320f2eee2e0f0eee220e820f3f1ebf3e3",
      "hex",
    );
    expect(decodeText(russian).text).toBe("Счёт на оплату товаров и услуг");
  });

  it.each([
    [
      "Faktura VAT. Należność: 1.234,56 zł. Odbiorca: Łódź",
      "46616b74757261205641542e204e616c65bf6e6fb6e63a20312e3233342c3536207ab32e204f6462696f7263613a20a3f364bc",
    ],
    [
      "Račun broj 5. Plaćanje: Šibenik, Žminj, Đurđevac",
      "5261e8756e2062726f6a20352e20506c61e6616e6a653a20a96962656e696b2c20ae6d696e6a2c20d07572f065766163",
    ],
  ])("tells Latin-2 by words that have no signs in them then: %s", (text, hex) => {
    expect(decodeText(Buffer.from(hex, "hex"))).toEqual({ text, encoding: "iso-8859-2" });
  });

  it.each([
    "Señor Núñez: ¿qué año? ¡Adiós! 5 m² à 3 €, n° 7, ½ kg, 20 °C",
    "L’été à la plage : «déjà vu» – c’est l’œuvre d’un maître",
    "Käse für 3 £, §5 und §a, Größe 5±1, ©2024 Müller",
  ])("keeps Latin-1 and its signs: %s", (text) => {
    const bytes = Buffer.from(
      [...text].map((character) => WINDOWS.get(character) ?? character.codePointAt(0) ?? 0),
    );
    expect(decodeText(bytes)).toEqual({ text, encoding: "windows-1252" });
  });

  it("reads a long text that is ASCII for most of it", () => {
    const bytes = Buffer.concat([
      Buffer.from("plain text ".repeat(20_000)),
      Buffer.from("caf\xe9", "latin1"),
    ]);
    expect(decodeText(bytes).text.endsWith("café")).toBe(true);
  });
});
