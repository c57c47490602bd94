/** Warnings of parts of a table, as those of the table. */

const COUNTED = /^(.*?)(, such as .*)?, in (\d+) of (\d+) rows\.$/s;
/** Of one job. */
const MOST_WARNINGS = 100;

/** Each once, in the order of the parts; rows that warnings count are added up. @param rows of the table */
export function mergedWarnings(parts: Iterable<readonly string[]>, rows: number): string[] {
  const merged = new Map<
    string,
    { readonly text: string; readonly example: string; count: number }
  >();
  for (const warnings of parts) {
    for (const warning of warnings) {
      const [, text = warning, example = "", count = "0"] = COUNTED.exec(warning) ?? [];
      const known = merged.get(text);
      if (known) known.count += Number(count);
      else merged.set(text, { text, example, count: Number(count) });
    }
  }
  return [...merged.values()]
    .slice(0, MOST_WARNINGS)
    .map(({ text, example, count }) =>
      count === 0 ? text : `${text}${example}, in ${count} of ${rows} rows.`,
    );
}
