/** The link by which the operator opens the console: printed at each start, and whenever it is asked for. */

import type { Database } from "../../platform/db/database.ts";
import { consoleAddress, insertLink, operatorsKey, setConsoleAddress } from "./link-store.ts";
import { hashSecret, newSecret } from "./session-cookie.ts";

/**
 * Of the server that runs here.
 *
 * @param url where browsers find it
 * @returns null where the operator's key was revoked, so that only other keys sign in
 */
export async function firstLink(db: Database, url: string): Promise<string | null> {
  await db.system((sql) => setConsoleAddress(sql, url));
  return await newLink(db, url);
}

/** Of the server that started last; null where none has, or the operator's key was revoked. */
export async function furtherLink(db: Database): Promise<string | null> {
  const url = await db.system(consoleAddress);
  return url === null ? null : await newLink(db, url);
}

async function newLink(db: Database, url: string): Promise<string | null> {
  const token = newSecret();
  const isMade = await db.system(async (sql) => {
    const owner = await operatorsKey(sql);
    if (owner !== null) await insertLink(sql, hashSecret(token), owner);
    return owner !== null;
  });
  // Browsers send nothing of what stands behind the #, so that no log on the way has it.
  return isMade ? `${url}/sign-in#${token}` : null;
}
