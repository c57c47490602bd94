/**
 * Lines that are read from right to left, as Hebrew and Arabic are: what stands farthest right comes first,
 * but for words and numbers of the other direction, which keep their order among each other (rules L2 and W
 * of the Unicode Bidirectional Algorithm, UAX #9, for the two levels that forms have).
 */

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const RIGHT_TO_LEFT_EACH = new RegExp(RIGHT_TO_LEFT, "gu");
const LETTERS = /\p{L}/gu;

/** Whether more of its letters are read from right to left than the other way. */
export function isRightToLeft(text: string): boolean {
  if (!RIGHT_TO_LEFT.test(text)) return false;
  const backward = text.match(RIGHT_TO_LEFT_EACH)!.length;
  return 2 * backward > (text.match(LETTERS)?.length ?? 0);
}

/**
 * What stands in a line of such a direction, as it is read.
 *
 * @param placed from left to right
 */
export function fromRightToLeft<T extends { readonly text: string }>(placed: readonly T[]): T[] {
  const read: T[] = [];
  let forward: T[] = [];
  for (const each of placed.toReversed()) {
    if (RIGHT_TO_LEFT.test(each.text)) {
      read.push(...forward, each);
      forward = [];
    } else forward.unshift(each);
  }
  return [...read, ...forward];
}

/** A number, with what stands within it; letters with the spaces between their words; all else. */
const PARTS =
  /\p{Nd}+(?:[.,:/-]\p{Nd}+)*|[\p{L}\p{M}]+(?:["'’״׳ ][\p{L}\p{M}]+)*|[^\p{L}\p{M}\p{Nd}]+/gu;

/**
 * A text whose letters are all read from right to left, though its parts are in the order in which they
 * stand from left to right: `01/03/2024 :תאריך` is `תאריך: 01/03/2024`.
 */
export function turned(text: string): string {
  return (text.match(PARTS) ?? [])
    .toReversed()
    .map((part) => (/[\p{L}\p{Nd}]/u.test(part) ? part : [...part].toReversed().join("")))
    .join("");
}
