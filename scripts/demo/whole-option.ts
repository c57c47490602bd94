/** Numbers among a demo's options, before anything is started for them. */

import process from "node:process";

/** @returns the whole number; ends the process where it is none of at least 1 */
export function wholeOption(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  console.error(`--${name} must be a whole number of at least 1, but is "${text}"`);
  process.exit(2);
}
