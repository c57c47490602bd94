/** Small receipts, and a model that reads them: what tests of this room run on. */

import { createHash } from "node:crypto";
import type { ChatRequest } from "../../../../testing/chat-endpoint.ts";
import { documentText } from "../../../parsing/document-text.ts";
import type { SampleDocument } from "../../inducer.ts";
import type { ProposedField } from "../propose/propose-prompt.ts";

export function documentOf(name: string, lines: readonly string[]): SampleDocument {
  const content = documentText({
    version: 1,
    mediaType: "text/plain",
    title: null,
    warnings: [],
    pages: [
      {
        number: 1,
        width: null,
        height: null,
        blocks: [
          {
            kind: "paragraph",
            lines: lines.map((line) => ({
              spans: line.split("  ").map((text) => ({ text, box: null })),
            })),
          },
        ],
      },
    ],
  });
  const hash = createHash("sha256").update(lines.join("\n")).digest("hex");
  return { id: name, name: `${name}.txt`, hash, content };
}

/** Receipts of shops of their own, ordered by hash. */
export function receipts(count: number, extraLines: readonly string[] = []): SampleDocument[] {
  const shops = [
    "KEDAI BUKU MAJU",
    "PERNIAGAAN ZHENG",
    "SYARIKAT LIMA",
    "RESTORAN WAN",
    "UNIHAKKA",
  ];
  return Array.from({ length: count }, (_, number) =>
    documentOf(`receipt-${number}`, [
      `${shops[number % shops.length]} SDN BHD`,
      `DATE :  ${String(1 + (number % 28)).padStart(2, "0")}/0${1 + (number % 9)}/2018`,
      `INVOICE NO : CS${67832 + 17 * number}`,
      `SUBTOTAL :  ${(10 + number).toFixed(2)}`,
      `TOTAL :  ${(11 + number).toFixed(2)}`,
      `CASH  ${(50 + number).toFixed(2)}`,
      ...(number === 1 ? extraLines : []),
      "THANK YOU",
    ]),
  ).sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

/** What stands between the fences of a prompt, line by line, and the sign between its words. */
export function shownIn({ body }: ChatRequest): {
  readonly mark: string;
  readonly lines: string[];
} {
  const user = body.messages[1]?.content ?? "";
  const [, mark = "", begin = "", end = ""] =
    /place of every space is (\S+) and the document is between the lines (\[.*?\]) and (\[.*?\])\./u.exec(
      user,
    ) ?? [];
  const start = user.lastIndexOf(`${begin}\n`) + begin.length + 1;
  return { mark, lines: user.slice(start, user.lastIndexOf(`\n${end}`)).split("\n") };
}

export function field(over: Partial<ProposedField> & Pick<ProposedField, "name">): ProposedField {
  return { question: "What is it?", kind: "text", unit: null, enum: [], evidence: [], ...over };
}

/** The fields of one receipt, quoted as they were shown, with the signs between the words. */
export function readReceipt({ mark, lines }: ReturnType<typeof shownIn>): ProposedField[] {
  const stated = (label: string): ProposedField["evidence"] =>
    lines
      .filter((line) => line.startsWith(mark + label))
      .map((quote) => ({ quote, value: quote.split(mark).at(-1) ?? "" }));
  return [
    field({
      name: "total_amount",
      question: "What is the total amount payable?",
      kind: "money",
      evidence: stated("TOTAL"),
    }),
    field({
      name: "receipt_date",
      question: "On what date was the receipt issued?",
      kind: "date",
      evidence: stated("DATE"),
    }),
    field({
      name: "invoice_number",
      question: "What is the number of the invoice?",
      kind: "identifier",
      evidence: stated("INVOICE"),
    }),
    field({
      name: "subtotal",
      question: "What is the subtotal before rounding?",
      kind: "money",
      evidence: stated("SUBTOTAL"),
    }),
  ];
}
