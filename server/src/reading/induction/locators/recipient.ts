/**
 * To whom a document is sent, where no label says it: the name over an address in the document's head
 * that is not the sender's own, as it shows in the window of an envelope.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { hasPostcode, hasStreet } from "../values/address-words.ts";
import { comparingKey } from "../values/same-value.ts";
import type { Conventions } from "../values/value.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { findingOf, readStretch } from "./finding.ts";
import { labelKey } from "./label-key.ts";
import { columnNeighbours, type Stretch, stretchOfSpan, textOfStretch } from "./layout.ts";
import { findLetterhead } from "./letterhead.ts";
import type { Target } from "./locator.ts";
import { pointedAddress } from "./pointed-address.ts";

/** Lines of a document's head. */
const HEAD = 25;
const LONGEST_NAME = 60;
const SURENESS = 0.6;
const LATER = 0.8;

interface Addressed {
  readonly name: Stretch;
  readonly address: Finding;
}

const known = new WeakMap<DocumentText, readonly Addressed[]>();

/** Names, or with a target of that kind addresses; the first is the likeliest. */
export function findRecipients(
  content: DocumentText,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const sender = findLetterhead(content, conventions)[0]?.normal ?? null;
  let sureness = SURENESS;
  return addressedIn(content).flatMap(({ name, address }): Finding[] => {
    const text = textOfStretch(name);
    if (sender !== null && isSameName(String(sender), text)) return [];
    const value = target.kind === "address" ? null : readStretch(name, target, conventions);
    if (value === null && target.kind !== "address") return [];
    const finding =
      value === null
        ? { ...address, confidence: sureness * address.confidence }
        : findingOf(name.line, value, sureness);
    sureness *= LATER;
    return [finding];
  });
}

function isSameName(a: string, b: string): boolean {
  const [one, two] = [a, b].map((name) => comparingKey("organization", name));
  return one === two;
}

function addressedIn(content: DocumentText): readonly Addressed[] {
  let found = known.get(content);
  if (found === undefined) {
    found = readAddressed(content);
    known.set(content, found);
  }
  return found;
}

function readAddressed(content: DocumentText): Addressed[] {
  const found: Addressed[] = [];
  for (const [index, line] of content.lines.slice(0, HEAD).entries()) {
    // The first line is the sender's.
    if (index === 0 || line.page !== content.lines[0]!.page) continue;
    for (const [spanIndex, span] of line.spans.entries()) {
      if (!isName(span.text)) continue;
      const [below] = columnNeighbours(content, index, spanIndex, 1);
      if (
        below === undefined ||
        !/\d/.test(textOfStretch(below)) ||
        isOfAnother(content, index, spanIndex)
      ) {
        continue;
      }
      const at = content.lines.indexOf(below.line, index);
      const address = pointedAddress(content, at, below);
      // A street over a town: either alone may be anything.
      const isWhole =
        address !== null &&
        hasStreet(String(address.normal)) &&
        hasPostcode(String(address.normal));
      if (isWhole) found.push({ name: stretchOfSpan(line, span), address });
    }
  }
  return found;
}

function isName(text: string): boolean {
  if (text.length > LONGEST_NAME || /[\d:：@]/u.test(text)) return false;
  return (
    /^\p{Lu}/u.test(text) &&
    /\p{L}{2}.*\s.*\p{L}{2}/u.test(text) &&
    meaningOf(labelKey(text)) === null
  );
}

/** Whether a label, or more of the sender's, stands before or over the name. */
function isOfAnother(content: DocumentText, index: number, spanIndex: number): boolean {
  const before = content.lines[index]!.spans[spanIndex - 1];
  if (before !== undefined && /[:：]/u.test(before.text)) return true;
  const [above] = columnNeighbours(content, index, spanIndex, -1);
  if (above === undefined) return false;
  // A recipient's block begins with the name; a letterhead goes on.
  if (above.line.block === content.lines[index]!.block) return true;
  const text = textOfStretch(above);
  return /[:：]\s*$/u.test(text) || meaningOf(labelKey(text)) !== null;
}
