/** What somebody else wrote: names and values of any length, in any script, shown as text. */

const MOST = 120;

/** Cut by code points, so that no character is halved. */
export const shortened = (text: string, most = MOST): string =>
  text.length <= most ? text : `${[...text.slice(0, most * 2)].slice(0, most - 1).join("")}…`;

const [FIRST_STRONG_ISOLATE, POP_ISOLATE] = ["\u2068", "\u2069"];

/** The same where there is no room for an element, as in an option: what stands beside it keeps its direction. */
export const isolated = (text: string, most = MOST): string =>
  `${FIRST_STRONG_ISOLATE}${shortened(text, most)}${POP_ISOLATE}`;

/** Text on its own direction, the whole of it under the pointer where it was cut. */
export function Text({ of, most = MOST }: { readonly of: string; readonly most?: number }) {
  const shown = shortened(of, most);
  return <bdi title={shown === of ? undefined : shortened(of, 2_000)}>{shown}</bdi>;
}
