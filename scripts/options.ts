/** Options of a demo or of a release, read before anything is started for them. */

import process from "node:process";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** Ends the process where one is given that there is not, or without its value. */
export function optionsOf<T extends NonNullable<ParseArgsConfig["options"]>>(options: T) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const known = Object.keys(options).map((name) => `--${name}`);
    console.error(`${error.message.split(". ")[0]}; there are ${known.join(", ")}`);
    process.exit(2);
  }
}
