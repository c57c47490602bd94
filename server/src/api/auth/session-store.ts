/** The SQL of sessions of the console. */

import type { Config } from "../../platform/config.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { Principal } from "../context/context.ts";

/** A session ends when it was not used for so long … */
const IDLE_HOURS = 12;
/** … and whatever its use, at this age. */
const LONGEST_DAYS = 7;
/** Nobody tells the service what the issuer takes from a person: it is asked again after a working day. */
const LONGEST_HOURS_OF_PERSON = 12;
/** How stale the time of the last use may be, so that most requests write nothing. */
const TOUCH_MINUTES = 5;

/** The issuer and the client there by which people sign in; null where they do not. */
type TrustedIssuer = { readonly issuer: string; readonly clientId: string } | null;

export interface SessionRow {
  readonly organization_id: string;
  /** The key that it came from; null of one that began at the issuer. */
  readonly api_key_id: string | null;
  /** The token's `sub`; null of one that came from a key. */
  readonly subject: string | null;
  /** Of the key as they are now, or as the token had them. */
  readonly scopes: readonly string[];
  /** Of the session or of its key, whichever is earlier. */
  readonly expires_at: Date;
}

export const trustedIssuer = ({ oidc }: Pick<Config, "oidc">): TrustedIssuer =>
  oidc?.client === undefined ? null : { issuer: oidc.issuer, clientId: oidc.client.id };

/** Who asks by the session: its key, or the person, who has none. */
export function callerOfSession({
  api_key_id,
  subject,
}: SessionRow): Pick<Principal, "kind" | "subject" | "keyId"> {
  if (api_key_id !== null) return { kind: "api_key", subject: api_key_id, keyId: api_key_id };
  if (subject !== null) return { kind: "oidc", subject, keyId: null };
  throw new Error("a session has neither a key nor a person");
}

/** Whose a session is that comes from a key. */
export interface SessionOwner {
  readonly organization_id: string;
  readonly api_key_id: string;
}

/** Whose a session is that begins at the issuer. */
export interface PersonOwner {
  readonly organization_id: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}

/** Of a key that may be used now. */
export const usable = (sql: Sql) => sql`
  api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now())`;

/**
 * @param trusted sessions that began at another issuer, or for another client there, have ended
 * @returns null where it has ended, or its key has
 */
export async function useSession(
  db: Database,
  hash: Buffer,
  trusted: TrustedIssuer,
): Promise<SessionRow | null> {
  const { issuer, clientId } = trusted ?? { issuer: null, clientId: null };
  const rows = await db.systemQuery(
    (sql) => sql<SessionRow[]>`
      with used as (
        update console_sessions set idle_until = now() + make_interval(hours => ${IDLE_HOURS})
        where hash = ${hash} and idle_until > now()
          and idle_until
            < now() + make_interval(hours => ${IDLE_HOURS}) - make_interval(mins => ${TOUCH_MINUTES})
      )
      ${sessions(sql)} where session.hash = ${hash} and session.idle_until > now()
        and session.expires_at > now() and ${usable(sql)}
        and (session.api_key_id is not null
             or (session.issuer = ${issuer}::text and session.client_id = ${clientId}::text))`,
  );
  return rows[0] ?? null;
}

/** The row of its key is all null where it has none, which is `usable`. */
const sessions = (sql: Sql) => sql`
  select session.organization_id, session.api_key_id, session.subject,
         coalesce(api_keys.scopes, session.scopes) as scopes,
         least(session.expires_at, api_keys.expires_at) as expires_at
  from console_sessions session left join api_keys on api_keys.id = session.api_key_id`;

/** @param hash of its secret */
export async function beginSession(
  sql: Sql,
  hash: Buffer,
  owner: SessionOwner | PersonOwner,
): Promise<SessionRow> {
  const person = "subject" in owner ? owner : null;
  const keyId = "api_key_id" in owner ? owner.api_key_id : null;
  const hours = person === null ? LONGEST_DAYS * 24 : LONGEST_HOURS_OF_PERSON;
  await sql`
    insert into console_sessions (hash, organization_id, api_key_id, issuer, client_id, subject,
                                  scopes, idle_until, expires_at)
    values (${hash}, ${owner.organization_id}, ${keyId}, ${person?.issuer ?? null},
            ${person?.client_id ?? null}, ${person?.subject ?? null},
            ${person === null ? null : [...person.scopes]}::text[],
            now() + make_interval(hours => ${IDLE_HOURS}), now() + make_interval(hours => ${hours}))`;
  const [row] = await sql<SessionRow[]>`${sessions(sql)} where session.hash = ${hash}`;
  if (row === undefined) throw new Error("the session was not stored");
  return row;
}

/**
 * Uses the state of a sign-in up.
 *
 * @param minutes how long it could be used; then it need not be remembered
 * @returns whether it had not been used before
 */
export async function takeState(sql: Sql, hash: Buffer, minutes: number): Promise<boolean> {
  const { count } = await sql`
    insert into console_used_states (hash, expires_at)
    values (${hash}, now() + make_interval(mins => ${minutes}))
    on conflict do nothing`;
  return count === 1;
}

/** @returns how many there were to end */
export async function endSession(db: Database, hash: Buffer): Promise<number> {
  const { count } = await db.systemQuery(
    (sql) => sql`delete from console_sessions where hash = ${hash}`,
  );
  return count;
}

/** Those that came from the key, in every browser. @returns how many there were to end */
export async function endSessionsOf(
  db: Database,
  organizationId: string,
  keyId: string,
): Promise<number> {
  const { count } = await db.query(
    organizationId,
    (sql) => sql`
      delete from console_sessions
      where organization_id = ${organizationId} and api_key_id = ${keyId}`,
  );
  return count;
}

/** Those of the person of the issuer, in every browser. @returns how many there were to end */
export async function endSessionsOfPerson(
  db: Database,
  organizationId: string,
  subject: string,
): Promise<number> {
  const { count } = await db.query(
    organizationId,
    (sql) => sql`
      delete from console_sessions
      where organization_id = ${organizationId} and subject = ${subject}`,
  );
  return count;
}

/** @returns null where it may not be used */
export async function ownerOfKey(sql: Sql, hash: Buffer): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    select organization_id, id as api_key_id from api_keys
    where hash = ${hash} and ${usable(sql)}`;
  return owner ?? null;
}

/** Of a key that may be used no more; null where there never was one like it. */
export async function formerOwnerOfKey(sql: Sql, hash: Buffer): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    select organization_id, id as api_key_id from api_keys where hash = ${hash}`;
  return owner ?? null;
}

/** Drops what has ended by itself. */
export async function pruneSessions(db: Database): Promise<void> {
  await db.systemQuery(
    (sql) => sql`delete from console_sessions where least(idle_until, expires_at) <= now()`,
  );
  await db.systemQuery((sql) => sql`delete from console_links where expires_at <= now()`);
  await db.systemQuery((sql) => sql`delete from console_used_states where expires_at <= now()`);
}
