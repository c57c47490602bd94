/** Figures of other implementations, stored in `../fixtures/` with the scripts that made them. */

import { readFileSync } from "node:fs";

/** `name`: of the file without its ending. The caller knows what the script wrote. */
export function readFigures<Figures>(name: string): Figures {
  const figures: Figures = JSON.parse(
    readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"),
  );
  return figures;
}
