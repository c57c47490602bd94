/**
 * Changes of an organization's catalog. Each is one transaction that locks the workspace's row
 * before it reads anything, so that what it read still holds when it writes, and that advances the
 * workspace's revision where it changed something.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Sql } from "../../platform/db/database.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { advanceRevision, lockWorkspaceRow, type WorkspaceRow } from "./store.ts";

/** What a PATCH asks besides its path. */
export interface PatchRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly updateMask?: string | undefined;
  /** Whether to create what is not there; the body must then be a whole one. */
  readonly allowMissing: boolean;
  readonly ifMatch?: string | undefined;
}

/** What a DELETE asks besides its path. */
export interface DeleteRequest {
  /** Whether to delete children with their parent. */
  readonly force: boolean;
  readonly ifMatch?: string | undefined;
}

export interface Change {
  readonly sql: Sql;
  readonly organizationId: string;
  /** As it was when it was locked. */
  readonly workspace: WorkspaceRow;
  /**
   * Advances the workspace's revision.
   *
   * @param retired the highest revision of children that were deleted, 0 where none was
   */
  advance(retired?: number): Promise<void>;
}

/** @throws 404 where the organization has no workspace of this id */
export async function changeWorkspace<Result>(
  { services, auth }: AuthedContext,
  workspaceId: string,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  const { organizationId } = auth;
  return services.db.forOrganization(organizationId, async (sql) => {
    const workspace = await lockWorkspaceRow(sql, organizationId);
    if (workspace?.name !== workspaceId) throw notFound("workspace");
    return work({
      sql,
      organizationId,
      workspace,
      advance: (retired = 0) => advanceRevision(sql, organizationId, retired),
    });
  });
}

/**
 * The revision of a request against that of the resource: 0 asks for nothing.
 *
 * @param current null where there is no resource yet
 * @throws 409
 */
export function assertRevision(sent: string, current: number | null): void {
  if (sent === "0" || sent === String(current)) return;
  throw conflict(
    current === null
      ? `The request is for revision ${sent}, and there is nothing yet; send revision 0 to create it.`
      : `The request is for revision ${sent}; it is at revision ${current} now.`,
  );
}

/** @throws 409 where children are left and were not given up by `force` */
export function assertEmpty(what: string, children: string, count: number, force: boolean): void {
  if (count === 0 || force) return;
  throw conflict(
    `${what} contains ${count} ${count === 1 ? `${children}; delete it` : `${children}s; delete them`} first, or send force=true.`,
  );
}
