/** A value as an error message shows it: quoted, and cut where it is long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}

/** Names that messages tell one by one. */
const MOST_SHOWN = 5;

/** Names as a message tells them: quoted, and of many the first ones. */
export function shownNames(names: readonly string[]): string {
  const more = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : "";
  return `${names.slice(0, MOST_SHOWN).map(shown).join(", ")}${more}`;
}
