/** The organization's SQL environment; it has one, or none yet. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../../api/client.ts";

const WORKSPACE_KEY = ["workspace"];

/** @returns the last segment of its name; null = there is none; undefined = not known yet */
export function useWorkspace() {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: WORKSPACE_KEY,
    queryFn: async ({ signal }) => {
      const { workspaces } = await client.workspaces.list.query({}, { signal });
      return workspaces[0]?.name.replace("workspaces/", "") ?? null;
    },
    staleTime: 60_000,
  });
  const create = async (): Promise<void> => {
    await client.workspaces.create.mutate({ workspace: {} });
    await queries.invalidateQueries({ queryKey: WORKSPACE_KEY });
  };
  return { workspace: data, error, refetch, create };
}
