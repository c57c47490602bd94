/** The HTTP room alone, for its own tests: fixed tokens, answers kept in memory, no services. */
import { randomUUID } from "node:crypto";
import type { AnyRouter } from "@trpc/server";
import type { FastifyInstance } from "fastify";
import type {
  Claim,
  IdempotencyStore,
  StoredAnswer,
} from "../api/http/idempotency/idempotency-store.ts";
import type { Authentication } from "../api/http/routing/call.ts";
import type { RawRoute } from "../api/http/routing/raw-route.ts";
import { createHttp, type HttpOptions } from "../api/http/server.ts";
import { invalidToken, unauthenticated } from "../platform/input/problem.ts";

export const ORGANIZATIONS = {
  first: "00000000-0000-4000-8000-000000000001",
  second: "00000000-0000-4000-8000-000000000002",
} as const;

const TOKENS: Readonly<Record<string, { organizationId: string; scopes: readonly string[] }>> = {
  all: { organizationId: ORGANIZATIONS.first, scopes: ["*"] },
  other: { organizationId: ORGANIZATIONS.second, scopes: ["*"] },
  limited: { organizationId: ORGANIZATIONS.first, scopes: ["datasets:write"] },
  reader: { organizationId: ORGANIZATIONS.first, scopes: ["datasets:read"] },
};

/** By a few tokens that tests know. */
export async function authenticate({
  headers: { authorization },
}: {
  readonly headers: { readonly authorization?: string | undefined };
}): Promise<Authentication> {
  if (authorization === undefined) return { principal: null, failure: unauthenticated() };
  const token = authorization.replace(/^Bearer /, "");
  const known = TOKENS[token];
  if (known === undefined) return { principal: null, failure: invalidToken() };
  return {
    principal: {
      organizationId: known.organizationId,
      kind: "api_key",
      subject: token,
      keyId: token,
      scopes: new Set(known.scopes),
    },
    failure: null,
  };
}

export function memoryIdempotency(): IdempotencyStore {
  const rows = new Map<
    string,
    { token: string | null; epoch: string; done: [string, StoredAnswer] | null }
  >();
  const keyOf = (...parts: string[]): string => JSON.stringify(parts);
  return {
    async claim(organizationId, operation, key): Promise<Claim> {
      const row = rows.get(keyOf(organizationId, operation, key));
      if (row === undefined || row.token === null) {
        const [token, epoch] = [randomUUID(), row?.epoch ?? randomUUID()];
        rows.set(keyOf(organizationId, operation, key), { token, epoch, done: null });
        return { state: "claimed", token, epoch };
      }
      if (row.done === null) return { state: "running", retryAfterS: 7 };
      return { state: "done", fingerprint: row.done[0], answer: row.done[1] };
    },
    async renew() {},
    async complete(organizationId, operation, key, token, fingerprint, answer) {
      const row = rows.get(keyOf(organizationId, operation, key));
      if (row?.token === token) row.done = [fingerprint, answer];
    },
    async release(organizationId, operation, key, token) {
      const row = rows.get(keyOf(organizationId, operation, key));
      if (row?.token === token) row.token = null;
    },
    async purge() {},
  };
}

export interface TestHttp {
  readonly app: FastifyInstance;
  /** What the service would have logged as its own failures. */
  readonly unexpected: unknown[];
}

export async function createTestHttp(
  router: AnyRouter,
  rawRoutes: readonly RawRoute[] = [],
  options: Partial<HttpOptions> = {},
): Promise<TestHttp> {
  const unexpected: unknown[] = [];
  const app = await createHttp({
    router,
    rawRoutes,
    // These operations touch no services.
    services: {} as never,
    authenticate,
    idempotency: memoryIdempotency(),
    translateError: () => null,
    onUnexpected: (error) => unexpected.push(error),
    ...options,
  });
  return { app, unexpected };
}
