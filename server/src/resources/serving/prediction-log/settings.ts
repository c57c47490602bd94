/** What an endpoint logs, and which of its requests. */

import { createHash } from "node:crypto";
import { z } from "zod";

const MOST_DAYS = 3650;

export const predictionLogSetting = z
  .strictObject({
    sample_rate: z
      .number()
      .gt(0)
      .max(1)
      .describe(
        "The share of the requests for predictions that are logged, each with its rows. By the header `X-Request-Id` where it is sent, so that a request which is sent again is logged again or again is not; else by chance.",
      ),
    keep_days: z
      .int()
      .min(1)
      .max(MOST_DAYS)
      .default(30)
      .describe("Days after which logged predictions, and what was said of them, are deleted."),
  })
  .nullable()
  .describe(
    "Logs predictions with their inputs as Parquet; replaced as a whole. Null = nothing is logged; what has been stays for its days.",
  );

export type PredictionLogSetting = z.output<typeof predictionLogSetting>;

const SHARES = 2 ** 48;

/** Whether a request is logged. @param requestId null = by chance */
export function isSampled(rate: number, endpointId: string, requestId: string | null): boolean {
  if (rate >= 1) return true;
  if (requestId === null) return Math.random() < rate;
  const digest = createHash("sha256").update(`log\n${endpointId}\n${requestId}`).digest();
  return digest.readUIntBE(0, 6) / SHARES < rate;
}
