/** Options of a demo or of a release, read before anything is started for them. */

import process from "node:process";
import type { ParseArgsConfig } from "node:util";
import { OptionError, readOptions } from "../server/src/platform/input/command-options.ts";

/** Ends the process where one is given that there is not or without its value, or a word that is no option. */
export function optionsOf<T extends NonNullable<ParseArgsConfig["options"]>>(options: T) {
  const known = Object.keys(options).map((name) => `--${name}`);
  try {
    const { values, positionals } = readOptions(options);
    if (positionals.length === 0) return values;
    console.error(`"${positionals[0]}" is no option; there are ${known.join(", ")}`);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    console.error(`${error.message}; there are ${known.join(", ")}`);
  }
  process.exit(2);
}
