import { describe, expect, it } from "vitest";
import { type DocumentText, documentText } from "../../../parsing/document-text.ts";
import type { Block } from "../../../parsing/normal-form.ts";
import type { SampleDocument } from "../../inducer.ts";
import { locate } from "../../locators/locate.ts";
import { skillSchema } from "../../skills/skill.ts";
import { read } from "../../values/kinds.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../../values/value.ts";
import type { LlmField } from "../fields/field.ts";
import { QuoteFinder } from "../verify/quote-finder.ts";
import { learnLocators } from "./learn-locators.ts";

const skill = skillSchema.parse({
  slug: "any",
  title: "Any",
  description: "",
  document_types: ["any"],
  vocabulary: [],
  fields: [],
  avoid: [],
});

const line = (text: string) => ({
  spans: text.split("  ").map((piece) => ({ text: piece, box: null })),
});
const paragraph = (...lines: string[]): Block => ({ kind: "paragraph", lines: lines.map(line) });
const heading = (text: string): Block => ({ kind: "heading", level: 1, lines: [line(text)] });
const table = (...rows: string[][]): Block => ({
  kind: "table",
  headerRows: 1,
  rows: rows.map((cells) => cells.map((cell) => ({ lines: [line(cell)] }))),
});

function contentOf(blocks: Block[]): DocumentText {
  const page = { number: 1, width: null, height: null, blocks };
  return documentText({
    version: 1,
    mediaType: "text/plain",
    title: null,
    warnings: [],
    pages: [page],
  });
}

interface Case {
  readonly blocks: Block[];
  /** As written; the quote is the value itself. */
  readonly value: string;
}

/** What is learned from such documents, and what it answers for one more of them. */
async function learned(kind: ValueKind, cases: readonly Case[], unseen: readonly Block[]) {
  const documents: SampleDocument[] = cases.map(({ blocks }, number) => ({
    id: `document-${number}`,
    name: `${number}.txt`,
    hash: String(number),
    content: contentOf(blocks),
  }));
  const sightings = documents.map(({ id, content }, number) => {
    const { value } = cases[number]!;
    const place = new QuoteFinder(content.text).find(value)!;
    const { normal, unit } = read(kind, value, NEUTRAL_CONVENTIONS)!;
    const finding = { ...place, text: value, normal, unit, page: 1, confidence: 1 };
    return { documentId: id, finding, quote: place };
  });
  const field: LlmField = {
    name: "field",
    question: "What is it?",
    kind,
    unit: null,
    enum: [],
    multiple: false,
    sightings,
  };
  const sample = { documents, skill, conventions: NEUTRAL_CONVENTIONS };
  const { locators, labels } = await learnLocators(field, sample, new AbortController().signal);
  const target = { kind, multiple: false, enum: [] };
  const [best] = locators;
  const found =
    best && locate(contentOf([...unseen]), best.locator, target, NEUTRAL_CONVENTIONS)[0];
  return { kinds: locators.map(({ locator }) => locator.kind), locators, labels, found };
}

const numbers = [3, 4, 5, 6, 7, 8];

describe("learnLocators", () => {
  it("learns the label beside a value, not the values beside it", async () => {
    const at = (days: number): Block[] => [
      paragraph("Page 1 of 9", `Leave taken: ${days + 20}`, `Days left: ${days}`, "Signed 12"),
    ];
    const cases = numbers.map((days) => ({ blocks: at(days), value: `${days}` }));
    const { locators, labels, found } = await learned("number", cases, at(11));
    expect(locators[0]?.locator).toMatchObject({ kind: "label", labels: ["days left"] });
    expect(locators[0]?.trust).toBeCloseTo(6.5 / 8, 3);
    expect(labels).toEqual(["Days left"]);
    expect(found?.normal).toBe(11);
  });

  it("learns the label above a value", async () => {
    const at = (code: string): Block[] => [
      paragraph("Claim code  Branch", `${code}  Leeds`, "End"),
    ];
    const cases = numbers.map((n) => ({ blocks: at(`AB-${n}77`), value: `AB-${n}77` }));
    const { kinds, found } = await learned("identifier", cases, at("AB-977"));
    expect(kinds[0]).toBe("label");
    expect(found?.text).toBe("AB-977");
  });

  it("learns the row and the column of a cell", async () => {
    const at = (n: number): Block[] => [
      table(
        ["", "2016", "2017"],
        ["Assets", `${n}00`, `${n}10`],
        ["Net income", `${n}20`, `${n}30`],
      ),
      paragraph("All in thousands."),
    ];
    const cases = numbers.map((n) => ({ blocks: at(n), value: `${n}20` }));
    const { locators, found } = await learned("number", cases, at(9));
    const ways = locators.map(({ locator }) => locator);
    expect(ways[0]).toMatchObject({ labels: ["net income"], pick: "first" });
    expect(found?.normal).toBe(920);
  });

  it("learns the words before a value in a sentence, numbers left open", async () => {
    const at = (n: number, term: string): Block[] => [
      paragraph(
        `${n}. Parties of the first part met on ${n} occasions over two weeks.`,
        `${n + 1}. This agreement shall remain in force for a period of ${term} from its date.`,
        "Notices are given within ten days.",
      ),
    ];
    const cases = numbers.map((n) => ({ blocks: at(n, `${n} years`), value: `${n} years` }));
    const { kinds, found } = await learned("duration", cases, at(1, "18 months"));
    expect(kinds).toContain("phrase");
    expect(found?.text).toBe("18 months");
  });

  it("learns the heading over a passage", async () => {
    const at = (said: string, term: string): Block[] => [
      heading("History"),
      paragraph("In pain for 3 days, and for 2 weeks before."),
      heading("Plan"),
      paragraph("Seen by the whole team.", `${said} ${term}`),
      heading("Remarks"),
      paragraph("The next holidays are 9 days."),
    ];
    const said = ["Back in", "To be seen again after", "Scan in", "A letter goes out in", "Rest:"];
    const cases = said.map((text, n) => ({
      blocks: at(text, `${n + 4} months`),
      value: `${n + 4} months`,
    }));
    const { locators, found } = await learned(
      "duration",
      cases,
      at("Call them within", "18 months"),
    );
    expect(locators[0]?.locator).toEqual({ kind: "section", headings: ["plan"] });
    expect(found?.text).toBe("18 months");
  });

  it("trusts nothing that does not find the values again", async () => {
    const cases = numbers.map((n) => ({
      blocks: [
        paragraph(
          ...Array.from({ length: 30 }, (_, k) => `word${n}${k} ${k === 4 * n ? n : 100 + k}`),
        ),
      ],
      value: `${n}`,
    }));
    const { locators } = await learned("number", cases, []);
    expect(locators.filter(({ trust }) => trust > 0.5)).toEqual([]);
  });
});
