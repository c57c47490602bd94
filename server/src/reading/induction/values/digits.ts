/** Decimal digits of any script as those of ASCII, each in its place: offsets stay what they are. */

/** Those of one UTF-16 unit; scripts beyond the first plane write no business documents. */
const OTHER =
  /[\u0660-\u0669\u066b\u066c\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u17e0-\u17e9\u1810-\u1819\uff10-\uff19]/g;

/** Arabic's separators of decimals and of thousands. */
const SEPARATORS: Readonly<Record<string, string>> = { "\u066b": ".", "\u066c": "," };

export function withAsciiDigits(text: string): string {
  return text.replace(OTHER, (character) => SEPARATORS[character] ?? String(digitOf(character)));
}

/** Digits of a script follow on each other from its zero, which Unicode's blocks of ten begin with. */
function digitOf(digit: string): number {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.findLast((each) => each <= code) ?? code;
  return code - zero;
}

const ZEROS = [
  0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10,
];
