/** Saved statements of the workspace: asked for, kept, changed. */

import { ServiceError } from "@distillery/client";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { idOfTitle } from "./saved-id.ts";

export type Saved = Awaited<ReturnType<typeof client.statements.get.query>>;

export const idOf = ({ name }: Saved): string => name.slice(name.lastIndexOf("/") + 1);

export const listKey = (workspace: string) => ["workspace", workspace, "statements"];
const keyOf = (workspace: string, id: string | null) => ["saved-statement", workspace, id];

/** @param id null = none is open */
export function useSaved(workspace: string, id: string | null) {
  return useQuery({
    queryKey: keyOf(workspace, id),
    queryFn: ({ signal }) =>
      client.statements.get.query({ workspace_id: workspace, statement_id: id ?? "" }, { signal }),
    enabled: id !== null,
    // What is being written is not changed under the writer's hands; saving tells of other changes.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 5_000,
  });
}

/** Ids that are tried before the last refusal is shown. */
const ATTEMPTS = 3;

export function useSaving(workspace: string) {
  const queries = useQueryClient();
  const path = { workspace_id: workspace };
  const keep = (saved: Saved): Promise<Saved> => kept(queries, workspace, saved);
  return {
    /** @throws {ServiceError} */
    async create(title: string, sql: string): Promise<Saved> {
      for (let attempt = 1; ; attempt++) {
        try {
          const own = { statementId: idOfTitle(title), statement: { title, sql } };
          return await keep(await client.statements.create.mutate({ ...path, ...own }));
        } catch (error) {
          const isTaken = error instanceof ServiceError && error.status === 409;
          if (!isTaken || attempt === ATTEMPTS) throw error;
        }
      }
    },

    /** @param revision that it must have; 0 = whichever it has @throws {ServiceError} */
    async update(
      id: string,
      changes: { readonly title?: string; readonly sql?: string },
      revision: string,
    ): Promise<Saved> {
      return keep(
        await client.statements.patch.mutate({
          ...{ ...path, statement_id: id, statement: { ...changes, revision } },
          updateMask: Object.keys(changes).join(","),
        }),
      );
    },

    async remove(id: string): Promise<void> {
      await client.statements.delete.mutate({ ...path, statement_id: id });
      queries.removeQueries({ queryKey: keyOf(workspace, id) });
      await queries.invalidateQueries({ queryKey: listKey(workspace) });
    },
  };
}

async function kept(queries: QueryClient, workspace: string, saved: Saved): Promise<Saved> {
  queries.setQueryData(keyOf(workspace, idOf(saved)), saved);
  await queries.invalidateQueries({ queryKey: listKey(workspace) });
  return saved;
}
