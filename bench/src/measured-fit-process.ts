/** A fit in a process of its own, so that its peak of memory is nobody else's. */

import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const CHILD = fileURLToPath(new URL("measured-fit.ts", import.meta.url));

const measuredFitSchema = z.object({
  /** Bytes that the process held at most; after binning, `encodedPeak`. */
  peak: z.number(),
  encodedPeak: z.number(),
  /** Bytes of the bins, by row and by column. */
  binned: z.number(),
  binSeconds: z.number(),
  trainSeconds: z.number(),
});
export type MeasuredFit = z.infer<typeof measuredFitSchema>;

/** gbdt of 255 leaves on synthetic columns, one thread. */
export function measureFit(rows: number, features: number, rounds: number): MeasuredFit {
  const child = spawnSync(process.execPath, [CHILD, ...[rows, features, rounds].map(String)], {
    encoding: "utf8",
  });
  if (child.status !== 0) throw new Error(`The measured process failed: ${child.stderr}`);
  return measuredFitSchema.parse(JSON.parse(child.stdout));
}
