/**
 * The levels of coverage that a model answers for: every hundredth from 0.5 to 0.99, and the one
 * its run was asked for. A level between two of them is served by the higher one.
 */

/** The lowest coverage that can be asked for. */
export const LOWEST_LEVEL = 0.5;
/** The highest coverage that can be asked for. */
export const HIGHEST_LEVEL = 0.99;

/** Ascending. */
export function levelsWith(coverage: number): number[] {
  const levels = new Set([coverage]);
  for (let percent = 50; percent <= 99; percent++) levels.add(percent / 100);
  return [...levels].sort((a, b) => a - b);
}

/**
 * The entry of the lowest level that is at least `coverage`.
 *
 * @param entries by ascending level
 * @throws {RangeError} when there is none
 */
export function entryFor<Entry extends { readonly level: number }>(
  entries: readonly Entry[],
  coverage: number,
): Entry {
  const entry = entries.find(({ level }) => level >= coverage);
  if (!entry || !(coverage >= LOWEST_LEVEL)) {
    throw new RangeError(
      `A coverage of ${coverage} is not supported; it must be from ${LOWEST_LEVEL} to ${HIGHEST_LEVEL}.`,
    );
  }
  return entry;
}
