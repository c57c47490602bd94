/** What somebody else wrote: names and values of any length, in any script, shown as text. */

const MOST = 120;

/** Cut by code points, so that no character is halved. */
export const shortened = (text: string, most = MOST): string =>
  text.length <= most ? text : `${[...text.slice(0, most * 2)].slice(0, most - 1).join("")}…`;

const [FIRST_STRONG_ISOLATE, POP_ISOLATE] = ["\u2068", "\u2069"];

/** Scripts from right to left, and characters that change the direction by themselves. */
const TURNING =
  /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * The same where there is no room for an element, as in an option: what stands beside it keeps its direction.
 * Other names stay as they are, since whoever types the beginning of an option finds it by its first character.
 */
export const isolated = (text: string, most = MOST): string => {
  const shown = shortened(text, most);
  return TURNING.test(shown) ? `${FIRST_STRONG_ISOLATE}${shown}${POP_ISOLATE}` : shown;
};

/** Text on its own direction, the whole of it under the pointer where it was cut. */
export function Text({ of, most = MOST }: { readonly of: string; readonly most?: number }) {
  const shown = shortened(of, most);
  return <bdi title={shown === of ? undefined : shortened(of, 2_000)}>{shown}</bdi>;
}
