/** Where a request gives columns a role: in its task, or for some roles beside it. */

import { COLUMN_ROLES, type ColumnRole, columnRoles, type NamedColumns } from "@distillery/engine";
import { requestPath, snakeCase } from "./wire-names.ts";

export interface RequestedRole extends ColumnRole {
  readonly loc: readonly (string | number)[];
  /** Whether the run uses it: what stands in the task wins over what stands beside it. */
  readonly isUsed: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Those in the task first. */
export function rolesOf(request: Members & { readonly task: Members }): RequestedRole[] {
  const { task } = request;
  return [
    ...columnRoles(namedColumns(task)).map(({ path, ...role }) => ({
      ...role,
      loc: requestPath(["task", ...path]),
      isUsed: true,
    })),
    ...columnRoles(namedColumns(request)).map(({ path, ...role }) => ({
      ...role,
      loc: requestPath(path),
      isUsed: task[snakeCase(role.member)] == null,
    })),
  ];
}

/** By the engine's names. */
function namedColumns(members: Members): NamedColumns {
  return Object.fromEntries(
    COLUMN_ROLES.flatMap((member) => {
      const named = members[snakeCase(member)];
      const isList = Array.isArray(named) && named.every((name) => typeof name === "string");
      return typeof named === "string" || isList ? [[member, named]] : [];
    }),
  );
}
