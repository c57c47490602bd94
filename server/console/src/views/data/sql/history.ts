/** Statements that were run in this browser, the latest first; without what they gave. */

import * as z from "zod/mini";
import { keptList } from "../kept-list.ts";

const pastSchema = z.object({
  sql: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
});

const MOST = 50;
/** Longer ones are not kept. */
const LONGEST = 20_000;

const list = keptList("distillery.statements", pastSchema);

/** The statement becomes the latest; one that is there already moves up. */
export function rememberStatement(sql: string): void {
  if (sql.length > LONGEST) return;
  const others = list.read().filter((each) => each.sql !== sql);
  list.keep([{ sql, at: Date.now() }, ...others].slice(0, MOST));
}

export const forgetStatements = (): void => list.keep([]);

export const usePastStatements = list.use;
