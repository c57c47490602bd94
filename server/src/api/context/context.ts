/** What every procedure is given: the opened services, who asks, and the facts of the request. */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Problem } from "../../platform/input/problem.ts";
import type { Services } from "../services.ts";

/** A sign-in of a person at the console, by whose cookie requests are authenticated. */
export interface ConsoleSession {
  /** SHA-256 of what the cookie holds. */
  readonly hash: Buffer;
  /** What its page sends with whatever changes something. */
  readonly csrfToken: string;
  /** When it ends at the latest. */
  readonly expiresAt: Date;
}

/** Who asks: one API key or one OIDC subject, always inside one organization. */
export interface Principal {
  readonly organizationId: string;
  readonly kind: "api_key" | "oidc";
  /** The key's id, or the token's `sub`. */
  readonly subject: string;
  /** Null for an OIDC token. */
  readonly keyId: string | null;
  readonly scopes: ReadonlySet<string>;
  /** Where the request came with a session's cookie in place of the key itself. */
  readonly session?: ConsoleSession;
}

export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
  /** Where the caller finds the service, e.g. `http://127.0.0.1:8080`; without a slash at its end. */
  readonly baseUrl: string;
  /** The same by the request's own Host, whatever URL is configured. */
  readonly hostUrl: string;
  /** Aborted when the caller hangs up before the answer is complete. */
  readonly signal: AbortSignal;
  /** Whether the caller's token still holds: for answers that go on long after it was looked at. */
  stillAuthenticated(): Promise<boolean>;
}

export interface Context {
  readonly services: Services;
  readonly auth: Principal | null;
  /** Why `auth` is null. */
  readonly authFailure: Problem | null;
  readonly request: RequestFacts;
  /** Adds a header to the answer of this call, e.g. `ETag`. */
  readonly setHeader: (name: string, value: string) => void;
  /** Told as whom somebody who has no principal yet signs in, or tries to: for the audit log. */
  readonly signsInAs: (
    owner: Pick<Principal, "organizationId" | "kind" | "subject" | "keyId">,
  ) => void;
  /** Told the id of what a name of the path means, such as the model behind an alias: for the audit log. */
  readonly isAbout: (resourceId: string) => void;
  /**
   * An id for a resource that this call creates: random, or, where an `Idempotency-Key` was sent, a
   * function of the organization, the operation and the key's epoch, so that a request that is run
   * again after a crash meets the row that its first run left.
   */
  readonly newId: () => string;
  /** Told how each call over `/trpc` went; there a request may hold several. */
  readonly whenCalled?: ((call: EndedCall) => Promise<void>) | undefined;
}

export interface EndedCall {
  /** Of the procedure, `models.delete`. */
  readonly path: string;
  /** As it was sent. */
  readonly input: unknown;
  readonly answer: unknown;
  /** Null where it was answered. */
  readonly error: Error | null;
  /** What it was about, where it said so. */
  readonly resourceId: string | null;
}

/** The context behind `authed(scope)`. */
export interface AuthedContext extends Context {
  readonly auth: Principal;
  readonly authFailure: null;
}

/** RFC 9562 version 8 UUIDs from a counter and the epoch of the caller's idempotency key. */
export function idSource(organizationId: string, operation: string, epoch: string): () => string {
  let count = 0;
  return () => {
    const digest = createHash("sha256")
      .update(JSON.stringify([organizationId, operation, epoch, count++]))
      .digest()
      .subarray(0, 16);
    digest[6] = (digest[6]! & 0x0f) | 0x80;
    digest[8] = (digest[8]! & 0x3f) | 0x80;
    const hex = digest.toString("hex");
    return [8, 12, 16, 20].reduceRight((id, at) => `${id.slice(0, at)}-${id.slice(at)}`, hex);
  };
}
