/** What is said of categories that the training data did not have, of some rows and of several parts of a table. */

import type { FeatureSchema } from "./feature-schema.ts";
import type { DataWarning } from "./readers/reading.ts";
import { shown } from "./shown.ts";

const beginning = (column: string): string =>
  `Column ${shown(column)} has categories that were not in the training data, such as `;

/** @param unseen how many of the rows have such a category, ≥ 1; `example` is that of the first */
export function unseenWarning(
  column: string,
  example: string,
  unseen: number,
  rows: number,
): DataWarning {
  const message = `${beginning(column)}${shown(example)}, in ${unseen} of ${rows} rows.`;
  return { message, column };
}

const COUNTED = /^(.*), in (\d+) of (\d+) rows\.$/s;

interface Counted {
  readonly text: string;
  unseen: number;
}

/**
 * What encoding said of each part of a table, in the order of its rows, as it would have said it of all of
 * them: once, with rows added up.
 *
 * @param rows of all parts
 */
export function joinedWarnings(
  parts: readonly (readonly string[])[],
  { columns }: Pick<FeatureSchema, "columns">,
  rows: number,
): string[] {
  const beginnings = columns.flatMap(({ kind, name }) =>
    kind === "categorical" ? [beginning(name)] : [],
  );
  const placeOf = (message: string): number =>
    beginnings.findIndex((each) => message.startsWith(each));
  const counted = new Map<number, Counted>();
  // They do not depend on the rows: all parts have the same, around those that do.
  const before = new Set<string>();
  const behind = new Set<string>();
  for (const part of parts) {
    const first = part.findIndex((message) => placeOf(message) >= 0);
    for (const [at, message] of part.entries()) {
      const place = placeOf(message);
      const [, text, unseen] = COUNTED.exec(message) ?? [];
      if (place >= 0 && text !== undefined) {
        const known = counted.get(place);
        if (known) known.unseen += Number(unseen);
        else counted.set(place, { text, unseen: Number(unseen) });
      } else (first >= 0 && at > first ? behind : before).add(message);
    }
  }
  const said = [...counted]
    .toSorted(([one], [other]) => one - other)
    .map(([, { text, unseen }]) => `${text}, in ${unseen} of ${rows} rows.`);
  return [...[...before].filter((message) => !behind.has(message)), ...said, ...behind];
}
