/** The SQL of the links that begin sessions of the console, and of the console's address. */

import type { Sql } from "../../platform/db/database.ts";
import { type SessionOwner, usable } from "./session-store.ts";

export const LINK_MINUTES = 15;

/** @param hash of its token */
export async function insertLink(
  sql: Sql,
  hash: Buffer,
  { organization_id, api_key_id }: SessionOwner,
): Promise<void> {
  await sql`
    insert into console_links (hash, organization_id, api_key_id, expires_at)
    values (${hash}, ${organization_id}, ${api_key_id},
            now() + make_interval(mins => ${LINK_MINUTES}))`;
}

/** Uses the link up. @returns whose session it begins; null where it was used, or is too old */
export async function takeLink(sql: Sql, hash: Buffer): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    delete from console_links using api_keys
    where console_links.hash = ${hash} and console_links.expires_at > now()
      and api_keys.id = api_key_id and ${usable(sql)}
    returning console_links.organization_id, api_key_id`;
  return owner ?? null;
}

/** The key of the operator, by which the first people sign in; null where it was revoked. */
export async function operatorsKey(sql: Sql): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    select organization_id, id as api_key_id from api_keys
    where origin in ('bootstrap', 'configured') and ${usable(sql)}
    order by origin = 'configured' desc, created_at desc
    limit 1`;
  return owner ?? null;
}

export async function setConsoleAddress(sql: Sql, url: string): Promise<void> {
  await sql`
    insert into console_address (url) values (${url})
    on conflict (is_only) do update set url = excluded.url`;
}

/** Null where no server has started yet. */
export async function consoleAddress(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ url: string }[]>`select url from console_address`;
  return row?.url ?? null;
}
