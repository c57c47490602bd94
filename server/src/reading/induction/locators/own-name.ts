/**
 * How far a document as a whole speaks for a name as its own: how often it repeats the name, and
 * whether a web or mail address in it has the name.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions } from "../values/value.ts";
import { fold } from "./label-key.ts";

const REPEATED = 0.047;
const MOST_REPEATED = 2;
const IN_DOMAIN = 0.14;

/** What a name gains, 0 to 0.24, by where else it stands in the document. */
export function ownNameBonus(
  content: DocumentText,
  conventions: Conventions,
): (name: string) => number {
  const text = squash(content.text);
  const domains = domainsOf(content, conventions);
  return (name) => {
    const squashed = squash(name);
    const repeated = Math.min(MOST_REPEATED, occurrences(text, squashed) - 1);
    const inDomain = domains.some((domain) => sharesName(domain, squashed)) ? IN_DOMAIN : 0;
    return REPEATED * Math.max(0, repeated) + inDomain;
  };
}

function domainsOf(content: DocumentText, conventions: Conventions): string[] {
  const domains = new Set<string>();
  for (const line of content.lines) {
    if (!/@|www|\.\p{L}{2,3}\b/iu.test(line.text)) continue;
    for (const { normal } of recognise(line.text, conventions, ["email", "url"])) {
      const host = String(normal)
        .toLowerCase()
        .replace(/^.*@|^https?:\/\/|^www\./g, "");
      const label = squash(host.replace(/^www\./, "").split(/[/.]/)[0] ?? "");
      if (label.length >= 4) domains.add(label);
    }
  }
  return [...domains].slice(0, 10);
}

function sharesName(domain: string, squashed: string): boolean {
  return squashed.startsWith(domain) || (squashed.length >= 4 && domain.startsWith(squashed));
}

function squash(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]/gu, "");
}

function occurrences(text: string, part: string): number {
  if (part.length < 4) return 0;
  let count = 0;
  for (
    let at = text.indexOf(part);
    at >= 0 && count < 10;
    at = text.indexOf(part, at + part.length)
  ) {
    count += 1;
  }
  return count;
}
