/**
 * Candidates from titles: the number, the date and the year that a title goes on with, as in
 * `Bescheid Nr. 350 vom 3. Mai 2023`, `Inspection Report No. 12` and `Annual Report for 2023`.
 */

import type { PlacedLine } from "../../parsing/document-text.ts";
import type { Finding, SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locatorSchema } from "../locators/locator.ts";
import { runningText } from "../locators/running-text.ts";
import { locateTemplate } from "../locators/template.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { type Mention, ofEachDocument } from "./mention.ts";

/** Lines from a document's head among which a title stands. */
const HEAD = 20;
const LONGEST = 100;
const MOST_WORDS = 6;

/** What is numbered, and by which word. */
const NUMBERED =
  /^\s*(?<what>\p{L}[\p{L}\p{M}’' -]{2,60}?)\s*(?<no>\b(?:No|Nr|Number|Nummer|Num[eé]ro|Número)\b\.?|[Nn]\.?\s?[°º]|#)\s*:?\s*(?=(?<code>[\p{Lu}\d/.-]*\d)(?:,?\s+(?<next>\p{L}+))?)/u;
/** What is of a year. */
const OF_YEAR =
  /^\s*(?<what>\p{L}[\p{L}\p{M}’'& -]{2,60}?)(?:\s+(?:for|für|de|pour|van|za|per|del))?\s+(?:the year\s+)?(?:19|20)\d\d\s*$/u;

export const titleCandidates = ofEachDocument((document, conventions) => {
  const isRunning = runningText(document.content);
  return document.content.lines
    .slice(0, HEAD)
    .filter(
      ({ kind, spans, text, start }) =>
        kind !== "table" && spans.length === 1 && text.length <= LONGEST && !isRunning(start),
    )
    .flatMap((line) => mentionsOf(document, line, conventions));
});

function mentionsOf(
  document: SampleDocument,
  line: PlacedLine,
  conventions: Conventions,
): Mention[] {
  const numbered = NUMBERED.exec(line.text)?.groups;
  const what = numbered?.["what"] ?? OF_YEAR.exec(line.text)?.groups?.["what"];
  if (what === undefined || what.split(" ").length > MOST_WORDS) return [];
  if (numbered === undefined) {
    const place = { before: labelKey(what), after: "" };
    return mentionOf(document, line, `${what} year`, place, "number", conventions);
  }
  const label = `${what} ${numbered["no"]!}`;
  const before = labelKey(label);
  const after = labelKey(numbered["next"] ?? "");
  return [
    ...mentionOf(document, line, label, { before, after }, "identifier", conventions),
    ...mentionOf(document, line, `${what} date`, { before, after: "" }, "date", conventions),
  ];
}

/** One, where the line says such a value behind the words. */
function mentionOf(
  document: SampleDocument,
  line: PlacedLine,
  label: string,
  place: { readonly before: string; readonly after: string },
  kind: ValueKind,
  conventions: Conventions,
): Mention[] {
  const locator = locatorSchema.parse({ kind: "template", ...place });
  if (locator.kind !== "template") return [];
  const target = { kind, multiple: false, enum: [] };
  const finding = locateTemplate(document.content, locator, target, conventions).find(isIn(line));
  if (finding === undefined) return [];
  const key = labelKey(label);
  const documentId = document.id;
  return [
    {
      documentId,
      finding,
      origin: "template",
      label,
      key,
      kind,
      locator,
      neighbours: [null, null],
    },
  ];
}

const isIn =
  ({ start, end }: PlacedLine) =>
  (finding: Finding): boolean =>
    finding.start >= start && finding.end <= end;
