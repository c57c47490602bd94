/** Whether a model that a run made is there yet: it can be deleted, and its run stays. */

import { ServiceError } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";

/** @param modelId null of a run that has made none @returns true as long as it is not known */
export function useModelIsThere(modelId: string | null): boolean {
  const { data } = useQuery({
    queryKey: ["models", modelId, "is-there"],
    enabled: modelId !== null,
    queryFn: async ({ signal }) => {
      try {
        await client.models.status.query({ model_id: modelId ?? "" }, { signal });
        return true;
      } catch (error) {
        if (error instanceof ServiceError && error.status === 404) return false;
        throw error;
      }
    },
  });
  return data ?? true;
}
