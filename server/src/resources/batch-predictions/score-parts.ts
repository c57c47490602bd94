/** The parts of a batch prediction, scored beside each other and put behind each other meanwhile. */

import type { Services } from "../../api/services.ts";
import { outputFormat } from "../../platform/compute/scoring/formats/index.ts";
import { mergedWarnings } from "../../platform/compute/scoring/merged-warnings.ts";
import type { PartsToScore } from "../../platform/compute/scoring/scoring.ts";
import type { ScoredPart, ScoringRequest } from "../../platform/compute/scoring/scoring-request.ts";
import type { JobScene } from "../jobs/kind.ts";
import type { BatchJobRow, BatchResult } from "./job.ts";
import { finishedParts, outputKey, partKey, putPart } from "./objects.ts";
import type { RowProgress } from "./progress.ts";

type Running = Pick<JobScene<unknown>, "services" | "signal">;

/**
 * Makes the output of a job, going on behind the parts that an earlier attempt has finished.
 *
 * @throws DataError of the first part that has one
 */
export async function scoreAndAssemble(
  { services, signal }: Running,
  job: BatchJobRow,
  request: ScoringRequest,
  progress: RowProgress,
): Promise<BatchResult> {
  const plan = await services.compute.scoring.plan(request, signal);
  const known = await finishedParts(services, job);
  const rowsKnown = [...known.values()].reduce((sum, { read }) => sum + read, 0);
  progress.predicts(plan.rows, rowsKnown);
  const parts = new ComingParts(plan.parts);
  for (const [part, scored] of known) parts.came(part, scored);
  // Where one of them fails, the other has nothing to do any more.
  const failed = new AbortController();
  const both = { services, signal: AbortSignal.any([signal, failed.signal]) };
  const fail = (error: unknown): never => {
    parts.fail(error);
    failed.abort(error);
    throw error;
  };
  const assembled = assemble(services, job, parts).catch(fail);
  const scored = score(both, job, { request, cells: plan.cells }, parts, progress).catch(fail);
  const outcomes = await Promise.allSettled([scored, assembled]);
  signal.throwIfAborted();
  failed.signal.throwIfAborted();
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  const result = await assembled;
  return { ...result, warnings: [...plan.warnings, ...result.warnings] };
}

/** What is known of the parts, as they become known. */
class ComingParts {
  readonly #parts: readonly PromiseWithResolvers<ScoredPart>[];
  readonly #known = new Set<number>();

  constructor(count: number) {
    this.#parts = Array.from({ length: count }, () => Promise.withResolvers<ScoredPart>());
    // A failure is told to whoever waits for a part; to others it is told elsewhere.
    for (const { promise } of this.#parts) promise.catch(() => {});
  }

  get missing(): number[] {
    return [...this.#parts.keys()].filter((part) => !this.#known.has(part));
  }

  came(part: number, scored: ScoredPart): void {
    this.#known.add(part);
    this.#parts[part]?.resolve(scored);
  }

  fail(error: unknown): void {
    for (const { reject } of this.#parts) reject(error);
  }

  async *inOrder(): AsyncGenerator<ScoredPart> {
    for (const { promise } of this.#parts) yield await promise;
  }
}

async function score(
  { services, signal }: Running,
  job: BatchJobRow,
  asked: Pick<PartsToScore, "request" | "cells">,
  parts: ComingParts,
  progress: RowProgress,
): Promise<void> {
  const { compute, log } = services;
  const device = await compute.scoring.score({
    ...asked,
    parts: parts.missing,
    signal,
    withPath: (use) => compute.withLocalPath(use),
    async take(part, scored, path) {
      await putPart(services, job, part, scored, path);
      parts.came(part, scored);
      progress.predicted(scored.read);
    },
  });
  if (device !== null) log.info({ job: job.id, device }, "the devices of a batch prediction");
  progress.at("writing");
}

async function assemble(
  services: Services,
  job: BatchJobRow,
  coming: ComingParts,
): Promise<BatchResult> {
  const { objects } = services;
  const format = outputFormat(job.request.format);
  const parts: ScoredPart[] = [];
  /** A column is a nullable one of the file where it is one of the table. */
  const fieldsOf = (): ScoredPart["fields"] => parts[0]?.fields ?? [];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const part of coming.inOrder()) {
      const place = parts.push(part) - 1;
      if (place === 0) yield format.head(fieldsOf());
      yield* objects.get(`${partKey(job, place)}.data`);
    }
    if (parts.length === 0) yield format.head([]);
    yield format.tail(fieldsOf(), parts);
  }
  const stored = await objects.put(outputKey(job), bytes(), { contentType: format.mediaType });
  const sum = (count: (part: ScoredPart) => number) =>
    parts.reduce((total, part) => total + count(part), 0);
  const rowsRead = sum(({ read }) => read);
  const found = parts.map((part) => part.warnings);
  return {
    rows: sum(({ rows }) => rows),
    rows_read: rowsRead,
    rows_failed: sum(({ unreadable }) => unreadable),
    bytes: stored.bytes,
    sha256: stored.sha256,
    fields: fieldsOf(),
    warnings: mergedWarnings(found, rowsRead),
  };
}
