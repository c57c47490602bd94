import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentFault } from "../../document-fault.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import { parseBytes } from "../../parse.ts";
import { outline } from "../../testing/outline.ts";
import { parseEmail } from "./parse-email.ts";

const HEAD = [
  "Received: by mail.example.com",
  "From: Ann Lee <ann@example.com>",
  "To: books@example.com, =?utf-8?q?J=C3=BCrgen?= <j@example.com>",
  "Subject: Invoice 4711 =?utf-8?q?f=C3=BCr_M=C3=A4rz?=",
  "Date: Mon, 03 May 2021 10:00:00 +0200",
  "MIME-Version: 1.0",
];
const SHOWN =
  "p: From: Ann Lee <ann@example.com> / To: books@example.com, Jürgen <j@example.com> / Date: Mon, 03 May 2021 10:00:00 +0200 / Subject: Invoice 4711 für März";

const sent = { name: "mail.eml", mediaType: null };
const email = (...lines: readonly string[]): Buffer =>
  Buffer.from([...HEAD, ...lines].join("\r\n"), "latin1");

const ALTERNATIVES = [
  'Content-Type: multipart/mixed; boundary="out"',
  "",
  "--out",
  'Content-Type: multipart/alternative; boundary="in"',
  "",
  "--in",
  "Content-Type: text/plain; charset=utf-8",
  "",
  "Total 12.50",
  "--in",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "<p>Gr=C3=BC=C3=9Fe</p><table><tr><td>Total</td><td>12.5=",
  "0</td></tr><tr><td>Paid</td><td>no</td></tr></table>",
  "--in--",
  "--out",
  "Content-Type: application/pdf",
  'Content-Disposition: attachment; filename="invoice.pdf"',
  "Content-Transfer-Encoding: base64",
  "",
  "JVBERi0xLjQK",
  "--out--",
  "",
];

describe("an e-mail", () => {
  it("is its head, and the form of its body that has tables; attachments are named", async () => {
    const document = await parseBytes(email(...ALTERNATIVES), sent);
    expect(outline(document)).toEqual([SHOWN, "p: Grüße", "td: Total | 12.50", "td: Paid | no"]);
    expect(document).toMatchObject({
      mediaType: "message/rfc822",
      title: "Invoice 4711 für März",
      warnings: ["Attachments were not read: invoice.pdf. Upload each as a document of its own."],
    });
  });

  it("of plain text has its lines, in the encoding that it says", async () => {
    const bytes = email(
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: 8bit",
      "",
      "Stra\u00dfe: Hauptweg 3",
      "",
      "Order no: 99",
    );
    const document = await parseBytes(bytes, sent);
    expect(outline(document)).toEqual([SHOWN, "p: Straße: Hauptweg 3", "p: Order no: 99"]);
    expect(document.warnings).toEqual([]);
  });

  it("is known by its name or its type, and by its head where there is neither", async () => {
    const bytes = email("", "Order no: 99");
    for (const given of [
      sent,
      { name: "", mediaType: "message/rfc822" },
      { name: "a.bin", mediaType: null },
    ]) {
      expect((await parseBytes(bytes, given)).mediaType).toBe("message/rfc822");
    }
    const letter = Buffer.from("Received: 3 May\nFrom: the shop\nTo: the customer\n\nOrder no: 99");
    expect((await parseBytes(letter, { name: "a.txt", mediaType: null })).mediaType).toBe(
      "text/plain",
    );
    const note = Buffer.from("no head at all");
    expect((await parseBytes(note, sent)).mediaType).toBe("text/plain");
  });

  it("of any bytes is a document or a fault", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...HEAD, ...ALTERNATIVES, "\u0000", "--in--"), { maxLength: 30 }),
        async (lines) => {
          const bytes = Buffer.from(lines.join("\r\n"), "latin1");
          const parsed = await parseEmail(bytes, PARSING_LIMITS).catch((error: unknown) => error);
          if (parsed instanceof Error) expect(parsed).toBeInstanceOf(DocumentFault);
          else expect(parsed).toMatchObject({ pages: [{ number: 1 }] });
        },
      ),
      { numRuns: 50 },
    );
  });
});
