/**
 * The characters that a parsed document may hold: Unicode in its composed form (NFC), nothing that a
 * reader does not see (zero width, text direction, tags, controls), no lone surrogates. What is hidden
 * in a file must neither break labels apart nor speak to a language model.
 */

/** Controls that break lines or pages stay; ZWNJ and ZWJ are spelling in several scripts and stay. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function seenCharacters(text: string): string {
  return text.toWellFormed().replace(UNSEEN, "").normalize("NFC");
}

/** As one line: seen characters, spaces of any kind and number as one, trimmed. */
export function asOneLine(text: string): string {
  return seenCharacters(text).replace(/\s+/gu, " ").trim();
}
