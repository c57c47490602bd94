/** The run that is at work, of which the latest need not be one where many wait. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";

const REFRESH_MS = 4_000;

type Run = Outputs["training"]["list"]["training_jobs"][number];

/** One of them; null where there is none, undefined as long as that is not known. */
export function useRunningRun(): Run | null | undefined {
  const { data } = useQuery({
    queryKey: ["training-jobs", "running"],
    queryFn: ({ signal }) =>
      client.training.list.query({ status: "running", limit: 1 }, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return data && (data.training_jobs[0] ?? null);
}
