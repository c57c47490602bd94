/**
 * Whether the paths of a listing table are those of a Delta Lake, Iceberg or Hudi table, looked up when
 * the definition is written. Queries look again: what cannot be told here, in little time, is no fault.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import { unprocessable } from "../../platform/input/problem.ts";
import type { ObjectSource } from "../../query/sources/object-source.ts";
import { SourceError, SourceUrlError } from "../../query/sources/source-error.ts";
import { discoverFiles, governingLog } from "../../query/sql/listing/discovery.ts";
import { type TableLog, whyNotRead } from "../../query/sql/listing/table-log.ts";
import { ScanError } from "../../query/sql/scan.ts";
import { findConnectors, openObjectSource, whyOutOfReach } from "../connectors/service.ts";
import { lastSegment } from "../workspaces/names.ts";
import { armOf, type TableSpec } from "./spec.ts";

/** For all paths of a definition. */
const LOOK_MS = 3_000;
/** Objects of a path that are listed. */
const LOOKED_AT = 10_000;

/** @throws UnprocessableError at the path */
export async function refuseListedLogs(ctx: AuthedContext, spec: TableSpec): Promise<void> {
  const { arm, spec: definition } = armOf(spec);
  if (arm !== "listing") return;
  const { services, auth, request } = ctx;
  const name = lastSegment(definition.connector);
  const connectors = await findConnectors(services.db, auth.organizationId, [name]);
  const connector = connectors.get(name);
  // What does not fit together is told by the write itself.
  if (connector?.kind !== "objstore") return;
  const clock = AbortSignal.timeout(LOOK_MS);
  const signal = AbortSignal.any([request.signal, clock]);
  const suffix = definition.snapshot?.options?.fileExtension ?? "";
  for (const [index, path] of definition.tablePaths.entries()) {
    if (whyOutOfReach(connector, path) !== null) return;
    let log: TableLog | null;
    try {
      log = await logAt(await openObjectSource(services, connector), path, suffix, signal);
    } catch (error) {
      if (clock.aborted || isOfSource(error)) return;
      throw error;
    }
    if (log === null) continue;
    throw unprocessable(["body", "spec", arm, "tablePaths", index], whyNotRead(log), {
      input: path,
    });
  }
}

async function logAt(
  source: ObjectSource,
  path: string,
  suffix: string,
  signal: AbortSignal,
): Promise<TableLog | null> {
  const discovery = await discoverFiles(source, path, [path], suffix, signal, LOOKED_AT);
  return governingLog(discovery, discovery.files);
}

/** A source that does not answer, refuses, or has more objects than are looked at. */
const isOfSource = (error: unknown): boolean =>
  error instanceof SourceError || error instanceof SourceUrlError || error instanceof ScanError;
