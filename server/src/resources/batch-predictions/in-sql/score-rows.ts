/** The rows of a query, predicted into a file beside them. */

import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { taskType } from "@distillery/engine";
import type { Services } from "../../../api/services.ts";
import { outputFormat } from "../../../platform/compute/scoring/formats/index.ts";
import { mergedWarnings } from "../../../platform/compute/scoring/merged-warnings.ts";
import { checkReads } from "../../../platform/compute/scoring/read-columns.ts";
import type {
  ScoredPart,
  ScoringRequest,
} from "../../../platform/compute/scoring/scoring-request.ts";
import { localModels } from "../../models/service.ts";
import { type FoundModel, kindsToRead } from "../model.ts";
import type { CallOptions } from "./options.ts";

const FORMAT = "parquet";

export interface RowsToScore {
  readonly model: FoundModel;
  readonly options: CallOptions;
  readonly organizationId: string;
  /** A Parquet file, of at least one row. */
  readonly path: string;
  /** Of its columns. */
  readonly names: readonly string[];
  readonly signal: AbortSignal;
}

/** Lends the file of the predictions until the callback ends. @throws DataError */
export async function withPredictions<Result>(
  services: Services,
  asked: RowsToScore,
  use: (path: string, warnings: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { compute } = services;
  const { model, options, organizationId, path, names, signal } = asked;
  const { document } = model;
  const isFramed = taskType(document.task.kind).framing !== null;
  const read = new Set(document.columns.map(({ name }) => name));
  const kinds = kindsToRead(document);
  const wanted = names.filter((name) => isFramed || read.has(name));
  if (!isFramed) checkReads(read, names);
  const folder = await localModels(services).folder(organizationId, model.id, model.files, true);
  const file = { path, format: FORMAT, kinds, columns: wanted } as const;
  return compute.withStoredTable(file, { organizationId, signal }, (table) =>
    compute.withLocalPath(async (target) => {
      const request: ScoringRequest = {
        ...options,
        model: folder,
        table,
        columns: [],
        format: FORMAT,
      };
      const parts = await score(services, request, target, signal);
      const rows = parts.reduce((sum, { read: count }) => sum + count, 0);
      return use(
        target,
        mergedWarnings(
          parts.map(({ warnings }) => warnings),
          rows,
        ),
      );
    }),
  );
}

/** @param target where the file is put together */
async function score(
  { compute }: Services,
  request: ScoringRequest,
  target: string,
  signal: AbortSignal,
): Promise<ScoredPart[]> {
  const plan = await compute.scoring.plan(request, signal);
  const numbers = Array.from({ length: plan.parts }, (_, part) => part);
  const scored = new Map<number, ScoredPart>();
  const pathOf = (part: number): string => `${target}.${part}`;
  try {
    await compute.scoring.score({
      request,
      cells: plan.cells,
      parts: numbers,
      signal,
      withPath: (use) => compute.withLocalPath(use),
      async take(part, found, path) {
        await rename(path, pathOf(part));
        scored.set(part, found);
      },
    });
    const parts = numbers.flatMap((part) => scored.get(part) ?? []);
    const format = outputFormat(FORMAT);
    const fields = parts[0]?.fields ?? [];
    await writeFile(target, format.head(fields), { mode: 0o600 });
    for (const part of numbers) {
      await pipeline(createReadStream(pathOf(part)), createWriteStream(target, { flags: "a" }));
    }
    await writeFile(target, format.tail(fields, parts), { flag: "a" });
    return parts;
  } finally {
    await Promise.all(numbers.map((part) => rm(pathOf(part), { force: true })));
  }
}
