/**
 * The client for TypeScript: the service's procedures as typed calls.
 *
 * ```ts
 * import { createClient } from "@distillery/server/client";
 *
 * const client = createClient({ url: "http://127.0.0.1:8080", token: process.env.DISTILLERY_API_KEY });
 * const { models } = await client.models.list.query({ limit: 10 });
 * ```
 *
 * An input is one flat object, wherever its members travel under `/v1`: `{ model_id, instances }`. A
 * resource that is created or changed is one member of it, named as the resource: `{ …, table }`.
 * A refusal is a `TRPCClientError` whose `data.problem` is the body that `/v1` would have sent, but
 * that the places of its faults name members and not parts of a request.
 */
import { createTRPCClient, httpBatchLink, type TRPCClient } from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "./router.ts";

export type { AppRouter };
export type Client = TRPCClient<AppRouter>;
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;

export interface ClientOptions {
  /** The service's base URL, without `/trpc`. */
  readonly url: string | URL;
  /** An API key or an access token; a function is asked before each request. */
  readonly token?: string | undefined | (() => string | Promise<string>);
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls made in the same tick travel in one request, at most this many. */
const BATCH_LIMIT = 50;
/** Longer batches of queries are split: they travel in the URL. */
const URL_LIMIT = 8_000;

export function createClient(options: ClientOptions): Client {
  const { token } = options;
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: new URL("/trpc", options.url).href,
        maxItems: BATCH_LIMIT,
        maxURLLength: URL_LIMIT,
        async headers() {
          const bearer = typeof token === "function" ? await token() : token;
          return {
            ...options.headers,
            ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          };
        },
      }),
    ],
  });
}
