/** A value as an error message shows it: quoted, and cut where it is long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}
