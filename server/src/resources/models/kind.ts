/**
 * What is special of one kind of models. Listing, getting, giving away and deleting are the same for
 * every kind; the list of kinds is handed to this room where the service is assembled (`kinds.ts`).
 */

import type { ModelFile } from "@distillery/engine";
import type { z } from "zod";
import type { Scope } from "../../api/context/scopes.ts";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { ModelFilter } from "./model-filter.ts";
import type { ModelStatus } from "./store.ts";

export interface ListedRow {
  /** Of its directory. */
  readonly id: string;
  readonly job_id: string;
  readonly status: ModelStatus;
  readonly created_at: Date;
}

export interface FoundRow extends ListedRow {
  readonly files: readonly ModelFile[];
}

export interface ModelKind<Row extends ListedRow = ListedRow, Found extends FoundRow = FoundRow> {
  /** Shown with the model. */
  readonly type: string;
  readonly schema: z.ZodObject;
  readonly detailSchema: z.ZodObject;
  /** Any of them is enough to see the status. */
  readonly statusScopes: readonly Scope[];
  /** What is said to who asks a model for predictions that makes none; null = it makes some. */
  readonly whyNoPredictions: string | null;
  /** What is said to who would give a model a name, tags or notes that takes none; null = it takes them. */
  readonly whyNoName: string | null;

  /** @param id as a caller gave it */
  find(db: Database, organizationId: string, id: string): Promise<Found | null>;
  /** Newest first; one more than `limit` where there are further ones. */
  list(
    db: Database,
    organizationId: string,
    filter: ModelFilter,
    limit: number,
    after: PageEnd | null,
  ): Promise<readonly Row[]>;
  /** As callers know it. */
  idOf(row: Row): string;
  toModel(row: Row): object;
  toDetail(row: Found): object;
  /** @throws 409 in words that say what became of it */
  assertCompleted(row: Found): void;
  /** What is said to who would delete it while it is made. */
  whyNotYet(row: Found): string;
  /** @param id of the row */
  remove(sql: Sql, organizationId: string, id: string): Promise<boolean>;
  existing(sql: Sql, ids: readonly string[]): Promise<readonly string[]>;
}

/** Every kind that there is; at least one. */
export type ModelKinds = readonly [ModelKind, ...ModelKind[]];

/** What uses models beside jobs, such as what serves them; handed to this room where the service is assembled. */
export interface ModelUser {
  /**
   * Asked where a model loses its name, and behind the delete of a model, or of an alias, in its transaction: whoever begins to use one
   * keeps it (`keepModel`, `keepReferences`), so that one waits for the other.
   *
   * @param references all that mean what goes: a model's id, versions, names, aliases
   * @returns what is said to who would take it away, such as `The serving endpoint live serves it; …`;
   *   null = it is not used
   */
  whyKept(sql: Sql, organizationId: string, references: readonly string[]): Promise<string | null>;
}
