/** Options of a command line: one that there is not is answered with the likest that there is. */

import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearNames } from "./near-names.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The command line cannot be read as it was written. */
export class OptionError extends Error {}

/**
 * What the process was started with, as `util.parseArgs` reads it, words that are no options among it.
 *
 * @throws OptionError for an option that there is none of, without its value, or with one that it takes none of
 */
export function readOptions<T extends Options>(options: T) {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The rest of Node's messages is advice to programmers.
    throw new OptionError(unknownOption(options) ?? error.message.split(". ")[0], { cause: error });
  }
}

/** What is said of the first option that there is none of; null where there are all. */
function unknownOption(options: Options): string | null {
  const { tokens } = parseArgs({ allowPositionals: true, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const known = Object.keys(options).map((name) => `--${name}`);
    return `there is no option ${token.rawName}${didYouMean(token.rawName, known)}`;
  }
  return null;
}

/** `; did you mean --port?`, empty where nothing is near. */
export function didYouMean(missing: string, known: readonly string[]): string {
  const near = nearNames(missing, known, 1);
  return near.length === 0 ? "" : `; did you mean ${near.join()}?`;
}
