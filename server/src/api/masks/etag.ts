/** Entity tags, `If-Match` and `If-None-Match` (RFC 9110 §8.8.3, §13.1.1 and §13.1.2). */
import { z } from "zod";
import { preconditionFailed, UnprocessableError } from "../../platform/input/problem.ts";

/** The input's member of an operation that honours `If-Match`. */
export const ifMatch = z.string().optional().meta({
  description: "Entity tags that the resource must have one of, or `*`; else 412.",
});

/** For the operation's meta: the header that `ifMatch` travels in. */
export const IF_MATCH = { "if-match": "ifMatch" } as const;

/** A strong tag; `text` holds no quotes. */
export const entityTag = (text: string): string => `"${text}"`;

const TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)|[ \t]*,/y;

/**
 * The strong tags of an `If-Match`, "*" for any, null where it is malformed. Weak tags never match
 * here and are left out.
 */
export const readIfMatch = (header: string): readonly string[] | "*" | null =>
  readTags(header, false);

/**
 * Whether who asks has what would be answered: a proxy that packs an answer weakens its tag, and the
 * weak one counts as well. A malformed header asks for nothing.
 *
 * @param current the `ETag`, quotes included
 */
export function isKnown(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = readTags(ifNoneMatch, true);
  return known === "*" || (known?.some((tag) => entityTag(tag) === current) ?? false);
}

function readTags(header: string, takesWeak: boolean): readonly string[] | "*" | null {
  if (header.trim() === "*") return "*";
  const tags: string[] = [];
  let any = false;
  TAG.lastIndex = 0;
  while (TAG.lastIndex < header.length) {
    const match = TAG.exec(header);
    if (match === null) return null;
    if (match[2] === undefined) continue;
    any = true;
    if (takesWeak || match[1] === undefined) tags.push(match[2]);
  }
  return any ? tags : null;
}

/**
 * @param current the text of the resource's tag, null where there is no resource
 * @throws Problem 412 where the header asks for another; UnprocessableError where it is malformed
 */
export function assertIfMatch(header: string | undefined, current: string | null): void {
  if (header === undefined) return;
  const wanted = readIfMatch(header);
  if (wanted === null) {
    throw new UnprocessableError([
      {
        loc: ["header", "if-match"],
        msg: 'Value error, send * or entity tags in quotes: "…", "…"',
        type: "value_error",
      },
    ]);
  }
  if (current === null)
    throw preconditionFailed("There is nothing here that If-Match could match.");
  if (wanted !== "*" && !wanted.includes(current)) {
    throw preconditionFailed(`The resource has changed: its ETag is ${entityTag(current)} now.`);
  }
}
