/** Options that a program gives by name. */

import { theClosest } from "./readers/column-names.ts";
import { shown } from "./shown.ts";

/**
 * Programs without types may misspell an option, and would wait in vain for what it was to do.
 *
 * @param asked the function that they were given to
 * @throws {TypeError} for one that is not among the known, with those that are the likest
 */
export function checkOptions(asked: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown === undefined) return;
  throw new TypeError(`${asked} has no option ${shown(unknown)}; ${theClosest(unknown, known)}.`);
}
