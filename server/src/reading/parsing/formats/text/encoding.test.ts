import { describe, expect, it } from "vitest";
import { decodeText } from "./encoding.ts";

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

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

  it("reads a long text that is ASCII for most of it", () => {
    const bytes = Buffer.concat([
      Buffer.from("plain text ".repeat(20_000)),
      Buffer.from("caf\xe9", "latin1"),
    ]);
    expect(decodeText(bytes).text.endsWith("café")).toBe(true);
  });
});
