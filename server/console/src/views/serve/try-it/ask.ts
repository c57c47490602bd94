/** A request for predictions, with what its answer's headers say. */

import { client } from "../../../api/client.ts";
import type { Prediction } from "./answer.tsx";

export interface Answered {
  readonly model_id: string;
  readonly predictions: readonly Prediction[];
  readonly warnings: readonly string[];
  /** Where the endpoint has logged it: what feedback is sent with. */
  readonly predictionId: string | null;
  readonly ms: number;
}

export const predictPath = (endpoint: string, key: string): string =>
  `/v1/serving/endpoints/${encodeURIComponent(endpoint)}/predict${key === "" ? "" : `?key=${encodeURIComponent(key)}`}`;

/** @throws {ServiceError} naming rows and cells */
export async function askEndpoint(endpoint: string, key: string, body: unknown): Promise<Answered> {
  const began = performance.now();
  const response = await client.request(predictPath(endpoint, key), { json: body });
  const answer: Pick<Answered, "model_id" | "predictions" | "warnings"> = await response.json();
  return {
    ...answer,
    predictionId: response.headers.get("x-prediction-id"),
    ms: performance.now() - began,
  };
}
