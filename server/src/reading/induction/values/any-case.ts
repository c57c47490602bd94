/** Patterns that match in any case, as parts of patterns that mind it otherwise. */

/**
 * The pattern with each letter in both cases. Not `(?i:…)`: once a process has compiled 16 MiB of
 * patterns, V8 compiles further ones without optimization, and alternatives in such a group are then
 * matched in their written case alone.
 *
 * @param pattern without classes and escapes of letters
 */
export function inAnyCase(pattern: string): string {
  return pattern.replaceAll(/\p{L}/gu, (letter) => {
    const lower = letter.toLowerCase();
    const upper = letter.toUpperCase();
    return lower !== upper && lower.length + upper.length === 2 ? `[${lower}${upper}]` : letter;
  });
}
