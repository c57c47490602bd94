/** Changing an endpoint: only as it was seen, so that nobody writes over what another has just changed. */

import type { Inputs } from "@distillery/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { useToasts } from "../../../ui/toasts.tsx";
import type { Endpoint } from "./endpoint.ts";

type Changes = Omit<Inputs["serving"]["patch"], "endpoint_id" | "ifMatch">;

/**
 * @param revision of the endpoint that the change was made from
 * @param said when it is done
 */
export function useChange({ id }: Endpoint, revision: string, said: string, done?: () => void) {
  const keep = useKeep(id);
  const toasts = useToasts();
  return useMutation({
    mutationFn: (changes: Changes) =>
      client.serving.patch.mutate({ endpoint_id: id, ifMatch: `"${revision}"`, ...changes }),
    onSuccess: async (endpoint) => {
      await keep(endpoint);
      toasts.done(said);
      done?.();
    },
  });
}

/** Takes the endpoint as an operation has answered it. */
export function useKeep(id: string): (endpoint: Endpoint) => Promise<void> {
  const queries = useQueryClient();
  return async (endpoint) => {
    queries.setQueryData(["endpoint", id], endpoint);
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["endpoints"] }),
      queries.invalidateQueries({ queryKey: ["endpoint", id, "splits"] }),
    ]);
  };
}
