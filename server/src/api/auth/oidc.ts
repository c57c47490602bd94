/**
 * Tokens of an OpenID Connect issuer, signed by a key of its JWKS with an asymmetric algorithm: access
 * tokens, which are JWTs for one audience, and ID tokens, which are for the client that people sign in
 * with. A claim names the organization; `scope`, `scp` or `permissions` grants what this service knows
 * of it.
 */
import { hash } from "node:crypto";
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyResult,
  jwtVerify,
} from "jose";
import { z } from "zod";
import { invalidToken, Problem } from "../../platform/input/problem.ts";
import type { Outbound } from "../../platform/net/outbound.ts";
import { isGrant } from "../context/scopes.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly organizationClaim: string;
}

export interface OidcIdentity {
  readonly subject: string;
  /** The value of the organization claim. */
  readonly organization: string;
  readonly scopes: ReadonlySet<string>;
}

/** What an ID token says of who signed in. */
export interface SignedInIdentity {
  readonly subject: string;
  /** Null where the token has no organization claim, or none that names one organization. */
  readonly organization: string | null;
  readonly scopes: ReadonlySet<string>;
}

/** What an ID token has to be made out to. */
interface IdTokenUse {
  readonly clientId: string;
  readonly nonce: string;
  /** That it came with. */
  readonly accessToken: string;
}

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** Discovery documents and key sets are small; redirects are not followed. */
export function issuerFetch(outbound: Outbound): FetchLike {
  return (url, { method, headers, body, signal }) =>
    outbound.fetch(url, {
      ...(method !== undefined && { method }),
      ...(body != null && { body: String(body) }),
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal && { signal }),
      timeoutMs: DISCOVERY_TIMEOUT_MS,
      bodyTimeoutMs: DISCOVERY_TIMEOUT_MS,
      maxBytes: ANSWER_BYTES,
    });
}

const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const CLOCK_TOLERANCE_S = 30;
const DISCOVERY_TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 1024 * 1024;
/** A failed discovery is tried again after this long. */
const RETRY_MS = 5_000;
/** What can be stored, and asked for by its name again; OpenID Connect allows 255 characters of ASCII. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,1024}$/u;
const ORGANIZATION = /^[\x21-\x7e]{1,200}$/;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

export const looksLikeJwt = (token: string): boolean =>
  /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(token);

export class OidcVerifier {
  readonly #settings: OidcSettings;
  readonly #fetch: FetchLike;
  #keys: Promise<ReturnType<typeof createRemoteJWKSet>> | null = null;

  constructor(settings: OidcSettings, fetch: FetchLike) {
    this.#settings = settings;
    this.#fetch = fetch;
  }

  /** Throws a 401 problem for a token that is no good, a 503 where the issuer cannot be asked. */
  async verify(token: string): Promise<OidcIdentity> {
    const { payload } = await this.#verified(token, this.#settings.audience);
    const { subject, organization, scopes } = this.#identityOf(payload);
    if (organization === null) throw invalidToken();
    return { subject, organization, scopes };
  }

  /**
   * An ID token (OpenID Connect Core 1.0 §3.1.3.7, with the hash of §3.1.3.6 where it has one).
   * Throws as `verify` does.
   */
  async verifyIdToken(
    token: string,
    { clientId, nonce, accessToken }: IdTokenUse,
  ): Promise<SignedInIdentity> {
    const { payload, protectedHeader } = await this.#verified(token, clientId);
    const party = payload["azp"];
    const isOurs =
      payload["nonce"] === nonce &&
      (party === undefined
        ? !Array.isArray(payload.aud) || payload.aud.length === 1
        : party === clientId);
    const ofAccess = payload["at_hash"];
    const isOfAccess =
      ofAccess === undefined || ofAccess === accessTokenHash(protectedHeader.alg, accessToken);
    if (!isOurs || !isOfAccess || payload.iat === undefined) throw invalidToken();
    return this.#identityOf(payload);
  }

  async #verified(token: string, audience: string): Promise<JWTVerifyResult> {
    const { issuer } = this.#settings;
    try {
      return await jwtVerify(token, await this.#keySet(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ["sub", "exp"],
      });
    } catch (cause) {
      if (isTokensFault(cause)) throw invalidToken(cause);
      throw new Problem("unavailable", "The token issuer cannot be reached to verify the token.", {
        headers: { "retry-after": String(RETRY_MS / 1000) },
        cause,
      });
    }
  }

  #identityOf(payload: JWTPayload): SignedInIdentity {
    if (typeof payload.sub !== "string" || !SUBJECT.test(payload.sub)) throw invalidToken();
    return {
      subject: payload.sub,
      organization: this.#organizationOf(payload),
      scopes: scopesOf(payload),
    };
  }

  #organizationOf(payload: JWTPayload): string | null {
    const claim = payload[this.#settings.organizationClaim];
    const value: unknown = Array.isArray(claim) && claim.length === 1 ? claim[0] : claim;
    return typeof value === "string" && ORGANIZATION.test(value) ? value : null;
  }

  #keySet(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    if (this.#keys === null) {
      const keys = this.#discover();
      this.#keys = keys;
      keys.catch(() => {
        setTimeout(() => {
          if (this.#keys === keys) this.#keys = null;
        }, RETRY_MS).unref();
      });
    }
    return this.#keys;
  }

  async #discover(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const base = this.#settings.issuer.replace(/\/$/, "");
    const answer = await this.#fetch(`${base}/.well-known/openid-configuration`, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`the issuer's discovery document answered ${answer.status}`);
    const metadata = metadataSchema.parse(await answer.json());
    if (metadata.issuer !== this.#settings.issuer) {
      throw new Error(`the discovery document is of another issuer, ${metadata.issuer}`);
    }
    return createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: this.#fetch });
  }
}

/** The left half of its hash, by the algorithm that signed the ID token; Ed25519 hashes with SHA-512. */
function accessTokenHash(algorithm: string, accessToken: string): string {
  const bits = /(?:256|384|512)$/.exec(algorithm)?.[0] ?? "512";
  const whole = hash(`sha${bits}`, accessToken, "buffer");
  return whole.subarray(0, whole.length / 2).toString("base64url");
}

/** Whether the token is to blame; a key set that cannot be had is not the token's fault. */
const isTokensFault = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout) &&
  !(error instanceof errors.JWKSInvalid) &&
  error.code !== "ERR_JOSE_GENERIC";

function scopesOf(payload: JWTPayload): ReadonlySet<string> {
  const words = ["scope", "scp", "permissions"].flatMap((name): unknown[] => {
    const claim = payload[name];
    if (typeof claim === "string") return claim.split(" ");
    return Array.isArray(claim) ? claim : [];
  });
  return new Set(words.filter((word) => typeof word === "string").filter(isGrant));
}
