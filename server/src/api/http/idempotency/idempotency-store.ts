/** What the adapter needs to remember answers by `Idempotency-Key`; Postgres keeps them. */

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Claim =
  /**
   * The key is ours now: run the operation, then `complete` or `release` with this token. The epoch
   * is the same from the key's first use until it is forgotten, whoever claims it meanwhile.
   */
  | { readonly state: "claimed"; readonly token: string; readonly epoch: string }
  /**
   * Another request with this key is still running, or its process died: then the key is free after so
   * many seconds, at least 1.
   */
  | { readonly state: "running"; readonly retryAfterS: number }
  /** Done before: the fingerprint of that request and its answer. */
  | { readonly state: "done"; readonly fingerprint: string; readonly answer: StoredAnswer };

export interface IdempotencyStore {
  claim(organizationId: string, operation: string, key: string): Promise<Claim>;
  /** Says that the request which holds this claim still runs. */
  renew(organizationId: string, operation: string, key: string, token: string): Promise<void>;
  complete(
    organizationId: string,
    operation: string,
    key: string,
    token: string,
    fingerprint: string,
    answer: StoredAnswer,
  ): Promise<void>;
  /** Frees the key, whose epoch goes on. */
  release(organizationId: string, operation: string, key: string, token: string): Promise<void>;
  /** Forgets keys that are older than answers are kept. */
  purge(): Promise<void>;
}
