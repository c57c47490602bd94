/** What a batch prediction keeps in the object store, and under which names. */

import { z } from "zod";
import type { Services } from "../../api/services.ts";
import { outputFormat } from "../../platform/compute/scoring/formats/index.ts";
import { OUTPUT_TYPES } from "../../platform/compute/scoring/output-column.ts";
import type { ScoredPart } from "../../platform/compute/scoring/scoring-request.ts";
import { readText } from "../../platform/objects/object-store.ts";
import { jobKey } from "../jobs/service.ts";
import { type BatchJobRow, type BatchResult, batchArea } from "./job.ts";

type Owner = Pick<BatchJobRow, "id" | "organization_id">;

/** The rows that were sent, or that a query had, as a dataset's file. */
export const inputKey = (job: Owner): string => jobKey(batchArea, job, "input.table");
/** What is to be said of a query's rows: a list of sentences. */
const inputWarningsKey = (job: Owner): string => jobKey(batchArea, job, "input.json");
export const outputKey = (job: BatchJobRow): string =>
  jobKey(batchArea, job, `predictions.${outputFormat(job.request.format).extension}`);
const resultKey = (job: Owner): string => jobKey(batchArea, job, "result.json");
const partsPrefix = (job: Owner): string => jobKey(batchArea, job, "parts/");
export const partKey = (job: Owner, part: number): string =>
  `${partsPrefix(job)}${String(part).padStart(8, "0")}`;

const fieldSchema = z.object({
  name: z.string(),
  type: z.enum(OUTPUT_TYPES),
  nullable: z.boolean(),
});
const partSchema = z.object({
  read: z.int(),
  rows: z.int(),
  bytes: z.int(),
  said: z.unknown(),
  fields: z.array(fieldSchema),
  warnings: z.array(z.string()),
  unreadable: z.int(),
}) satisfies z.ZodType<ScoredPart>;
const resultSchema = z.object({
  rows: z.int(),
  rows_read: z.int(),
  rows_failed: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  fields: z.array(fieldSchema),
  warnings: z.array(z.string()),
}) satisfies z.ZodType<BatchResult>;

type Rooms = Pick<Services, "objects">;

/** A part is there once its description is, which comes last. */
export async function putPart(
  { objects }: Rooms,
  job: Owner,
  part: number,
  scored: ScoredPart,
  path: string,
): Promise<void> {
  const key = partKey(job, part);
  await objects.putFile(`${key}.data`, path);
  await objects.put(`${key}.json`, Buffer.from(JSON.stringify(scored)));
}

/** What earlier attempts have finished, by number. */
export async function finishedParts(
  { objects }: Rooms,
  job: Owner,
): Promise<Map<number, ScoredPart>> {
  const found = new Map<number, ScoredPart>();
  const prefix = partsPrefix(job);
  for await (const { key } of objects.list(prefix)) {
    if (!key.endsWith(".json")) continue;
    const text = await readText(objects.get(key));
    found.set(
      Number(key.slice(prefix.length, -".json".length)),
      partSchema.parse(JSON.parse(text)),
    );
  }
  return found;
}

export async function putInputWarnings(
  { objects }: Rooms,
  job: Owner,
  warnings: readonly string[],
): Promise<void> {
  await objects.put(inputWarningsKey(job), Buffer.from(JSON.stringify(warnings)));
}

export async function inputWarnings({ objects }: Rooms, job: Owner): Promise<string[]> {
  if ((await objects.head(inputWarningsKey(job))) === null) return [];
  const text = await readText(objects.get(inputWarningsKey(job)));
  return z.array(z.string()).parse(JSON.parse(text));
}

/** Of an attempt that ended behind its last part; null where none did. */
export async function finishedResult({ objects }: Rooms, job: Owner): Promise<BatchResult | null> {
  if ((await objects.head(resultKey(job))) === null) return null;
  return resultSchema.parse(JSON.parse(await readText(objects.get(resultKey(job)))));
}

export async function putResult(
  { objects }: Rooms,
  job: Owner,
  result: BatchResult,
): Promise<void> {
  await objects.put(resultKey(job), Buffer.from(JSON.stringify(result)));
}

/** Removes all but the output and what is known of it. */
export async function dropWork({ objects }: Rooms, job: Owner): Promise<void> {
  await objects.deletePrefix(partsPrefix(job));
  await objects.delete(inputKey(job));
  await objects.delete(inputWarningsKey(job));
}
