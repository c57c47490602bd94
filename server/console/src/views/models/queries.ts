/** What the views of a model ask for, each once for all of them. */

import type { Outputs } from "@distillery/client";
import type { ModelCardDocument, RunReport } from "@distillery/engine";
import { useQuery } from "@tanstack/react-query";
import { ask, client } from "../../api/client.ts";

/** As long as a completed run's figures are looked at: they no longer change. */
const FIXED = { staleTime: 600_000 } as const;

type AnyModel = Outputs["models"]["get"];
export type TrainedModel = Extract<AnyModel, { type: "trained" }>;
export type { ModelCardDocument, RunReport };

const modelKey = (modelId: string) => ["models", "one", modelId] as const;

export function useModel(modelId: string) {
  return useQuery({
    queryKey: modelKey(modelId),
    queryFn: ({ signal }) => client.models.get.query({ model_id: modelId }, { signal }),
    refetchInterval: ({ state }) =>
      state.data && ["pending", "running"].includes(state.data.status) ? 3_000 : false,
  });
}

export function useCard(modelId: string) {
  return useQuery({
    queryKey: [...modelKey(modelId), "card"],
    queryFn: ({ signal }) =>
      ask<ModelCardDocument>(`/v1/models/${encodeURIComponent(modelId)}/card?format=json`, {
        signal,
      }),
    ...FIXED,
  });
}

/** Of the run that made a model. Where it is gone, what the card says must do. */
export function useReport(jobId: string) {
  return useQuery({
    queryKey: ["reports", jobId],
    queryFn: ({ signal }) => ask<RunReport>(`/v1/jobs/${jobId}/report?format=json`, { signal }),
    ...FIXED,
  });
}
