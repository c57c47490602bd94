/** Turns an `Authorization` header into a principal, or into the reason why there is none. */
import type { Database, Session } from "../../platform/db/database.ts";
import {
  invalidToken,
  Problem,
  tooManyRequests,
  unauthenticated,
} from "../../platform/input/problem.ts";
import type { Principal } from "../context/context.ts";
import type { Authentication } from "../http/routing/call.ts";
import { hexHashOfApiKey, isWellFormedApiKey, looksLikeApiKey } from "./api-key.ts";
import { AttemptLimiter } from "./attempt-limiter.ts";
import { KeyCache, LEASE_MS } from "./key-cache.ts";
import { KeyFinder } from "./key-finder.ts";
import { ensureOrganization, KEY_CHANNEL } from "./key-store.ts";
import { looksLikeJwt, type OidcIdentity } from "./oidc.ts";
import { confirmRevocation, joinListeners } from "./revocation.ts";

const BEARER = /^bearer +([\x21-\x7e]{1,8192})$/i;
/** The channel of revocations is opened again after this long. */
const LISTEN_AGAIN_MS = 1_000;
/** While keys are asked for, the channel is asked whether it works this often: a part of the lease. */
const CHECK_MS = LEASE_MS / 4;

/** Throws a problem for a token that it does not take. */
export interface AccessTokenVerifier {
  verify(token: string): Promise<OidcIdentity>;
}

export interface AuthenticatorOptions {
  readonly db: Database;
  readonly oidc: AccessTokenVerifier | null;
  readonly attempts?: AttemptLimiter;
  /** Told when the channel of revocations cannot be had; keys are then looked up each time. */
  readonly onChannelLost: (error: unknown) => void;
}

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new KeyCache();
  readonly #keys: KeyFinder;
  readonly #limiter: AttemptLimiter;
  readonly #organizations = new Map<string, string>();
  #session: Session | null = null;
  #again: NodeJS.Timeout | null = null;
  #checks: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#keys = new KeyFinder(options.db);
    this.#limiter = options.attempts ?? new AttemptLimiter();
  }

  /** @param address of the client: failures are counted for it */
  authenticate(
    authorization: string | undefined,
    address: string,
  ): Authentication | Promise<Authentication> {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (token === undefined) return { principal: null, failure: unauthenticated() };
    const hash = hexHashOfApiKey(token);
    const remembered = this.#cache.get(hash);
    return remembered === null
      ? this.#lookUp(token, hash, address)
      : { principal: remembered, failure: null };
  }

  async #lookUp(token: string, hash: string, address: string): Promise<Authentication> {
    try {
      const principal = (await this.#byKey(token, hash)) ?? (await this.#byAccessToken(token));
      return { principal, failure: null };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const wait = error.kind === "unauthenticated" ? this.#limiter.fail(address) : 0;
      return { principal: null, failure: wait > 0 ? tooManyRequests(wait) : error };
    }
  }

  async #byKey(token: string, hash: string): Promise<Principal | null> {
    // A key that an operator chose may have any form, `dk_` included.
    const generation = this.#cache.generation;
    const key = await this.#keys.find(hash);
    if (key === null) {
      if (looksLikeApiKey(token) && !isWellFormedApiKey(token)) throw invalidToken();
      return null;
    }
    const principal: Principal = {
      organizationId: key.organization_id,
      kind: "api_key",
      subject: key.id,
      keyId: key.id,
      scopes: new Set(key.scopes),
    };
    this.#cache.remember(hash, principal, key.expires_at, generation);
    return principal;
  }

  async #byAccessToken(token: string): Promise<Principal> {
    const { oidc, db } = this.#options;
    if (oidc === null || !looksLikeJwt(token)) throw invalidToken();
    const identity = await oidc.verify(token);
    const { organization, subject, scopes } = identity;
    let organizationId = this.#organizations.get(organization);
    if (organizationId === undefined) {
      organizationId = await db.system((sql) => ensureOrganization(sql, organization));
      this.#organizations.set(organization, organizationId);
    }
    return { organizationId, kind: "oidc", subject, keyId: null, scopes };
  }

  /** Opens the channel of revocations; until it is open, and while it is lost, nothing is cached. */
  async listen(): Promise<void> {
    if (this.#closed) return;
    try {
      const session = await this.#options.db.session({
        onLost: () => this.#lost(new Error("the connection of the channel was lost")),
        onNotify: (channel, payload) => {
          if (channel !== KEY_CHANNEL) return;
          this.#cache.forget(payload);
          // A channel that fails meanwhile is lost, and who waits for this waits for the lease.
          confirmRevocation(session.sql, payload).catch(() => undefined);
        },
      });
      await session.sql.unsafe(`listen ${KEY_CHANNEL}`);
      await joinListeners(session.sql);
      if (this.#closed) await session.end();
      else {
        this.#session = session;
        this.#cache.reset(true);
        await this.#check(session);
        this.#checks = setInterval(() => {
          if (this.#cache.takeAsked()) void this.#check(session);
        }, CHECK_MS);
        this.#checks.unref();
      }
    } catch (error) {
      this.#lost(error);
    }
  }

  /** What was notified before is told before the answer to a statement that was sent after. */
  async #check({ sql }: Session): Promise<void> {
    const sent = performance.now();
    try {
      await sql.unsafe("select 1");
      this.#cache.heard(sent);
    } catch {
      // The channel is lost, which is told elsewhere, or does not work: then the lease ends.
    }
  }

  #lost(error: unknown): void {
    this.#cache.reset(false);
    this.#session = null;
    if (this.#checks !== null) clearInterval(this.#checks);
    if (this.#closed) return;
    this.#options.onChannelLost(error);
    this.#again = setTimeout(() => void this.listen(), LISTEN_AGAIN_MS);
    this.#again.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    if (this.#checks !== null) clearInterval(this.#checks);
    const session = this.#session;
    this.#session = null;
    this.#cache.reset(false);
    await session?.end();
  }
}
