/** A change as the audit log is told of it. */

import type { Principal } from "./context.ts";

/** A change that was asked for, whatever came of it. */
export interface AuditedChange {
  readonly at: Date;
  readonly operation: string;
  readonly resourceType: string;
  /** Null of what was not made, and of what is one of its kind. */
  readonly resourceId: string | null;
  /** That of `/v1`, by whatever door the request came. */
  readonly path: string;
  readonly status: number;
  /** Answered by its `Idempotency-Key` as before, with nothing done again. */
  readonly isReplay: boolean;
  readonly requestId: string;
  readonly address: string;
  readonly by: AuditedCaller | null;
}

/** Who asked; of a sign-in, the key or the person that it was tried with. */
export type AuditedCaller = Pick<Principal, "organizationId" | "kind" | "subject" | "keyId"> & {
  /** By a session of the console. */
  readonly isSession: boolean;
};

/** Never fails: what cannot be written is told elsewhere. */
export type AuditChange = (change: AuditedChange) => Promise<void>;
