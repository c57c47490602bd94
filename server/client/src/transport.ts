/** How requests reach a service: its address, who asks, and what refusals become. */

import { failureOf, jsonOf, refusalOf } from "./service-error.ts";

type HeaderMap = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** The service's base URL, without `/v1` or `/trpc`. */
  readonly url: string | URL;
  /** An API key or an access token; a function is asked before each request. */
  readonly token?: string | undefined | (() => string | Promise<string>);
  /** Further headers of each request; a function is asked before each. */
  readonly headers?: HeaderMap | (() => HeaderMap);
  /** In place of the global one, for proxies and tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a request may have beside its path. */
export interface Asking {
  /** Default: POST with a body, GET without. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is sent as JSON; in place of `body`. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | Blob | FormData;
  readonly signal?: AbortSignal | undefined;
}

export class Transport {
  /** Without a slash at its end. */
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    const { origin, pathname, search, hash, username, password } = new URL(options.url);
    if (search !== "" || hash !== "" || username !== "" || password !== "") {
      throw new TypeError(
        "The service's URL should end with its path, without a query, a fragment, a name or a password; a key is the token.",
      );
    }
    this.base = `${origin}${pathname}`.replace(/\/+$/, "");
    // Browsers' own asks to be called on the window.
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#options = options;
  }

  async headers(): Promise<Record<string, string>> {
    const { token, headers } = this.#options;
    const bearer = typeof token === "function" ? await token() : token;
    const further = typeof headers === "function" ? headers() : headers;
    return { ...further, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) };
  }

  /**
   * @param path under the base, such as `/v1/datasets`
   * @throws {ServiceError} for an answer that is no success, and for none
   */
  async ask(
    path: string,
    { method, headers, json, body: given, signal }: Asking = {},
  ): Promise<Response> {
    const body = json === undefined ? given : JSON.stringify(json);
    try {
      const response = await this.fetch(`${this.base}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...(await this.headers()),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        // A body that is a stream is sent before there is an answer.
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
        ...(signal ? { signal } : {}),
      });
      if (!response.ok) throw await refusalOf(response);
      return response;
    } catch (error) {
      throw failureOf(error, signal);
    }
  }
  /**
   * As `ask`, and the answer's JSON.
   *
   * @throws {ServiceError} for another answer, too, such as the page of a proxy
   */
  async askJson<Answer>(path: string, asking: Asking): Promise<Answer> {
    const response = await this.ask(path, asking);
    return jsonOf(response, asking.signal);
  }
}
