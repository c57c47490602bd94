/** Types of columns in words that people use; the exact one stands under the pointer. */

const WORDS: readonly (readonly [type: RegExp, word: string])[] = [
  [/^(?:Large)?Utf8(?:View)?$/, "text"],
  [/^U?[Ii]nt(?:8|16|32|64)?$/, "whole number"],
  [/^Float(?:16|32|64)?$/, "number"],
  [/^Decimal/, "decimal number"],
  [/^Bool/, "yes or no"],
  [/^Date/, "date"],
  [/^Timestamp/, "date and time"],
  [/^Time/, "time of day"],
  [/^(?:Interval|Duration)/, "duration"],
  [/^(?:Large|FixedSize)?Binary/, "bytes"],
  [/^Dictionary<[^,]*,\s*(?:Large)?Utf8/, "text"],
  [/^(?:Large|FixedSize)?List/, "list"],
  [/^Struct/, "record"],
  [/^Map/, "map"],
  [/^Null$/, "nothing"],
];

/** @param type Arrow's name of it, such as `Timestamp<MICROSECOND>`; one that is not known stays as it is */
export const columnTypeWord = (type: string): string =>
  WORDS.find(([pattern]) => pattern.test(type))?.[1] ?? type;
