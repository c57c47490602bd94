/** Logged predictions of a process, on their way into the object store; each batch becomes a file. */

import { randomUUID } from "node:crypto";
import type { Services } from "../../../api/services.ts";
import { loggedRows } from "../../../platform/compute/prediction-log/logged-request.ts";
import type { LogFile } from "../../../platform/compute/prediction-log/write-log.ts";
import { isForeignKeyViolation } from "../../../platform/db/sql.ts";
import { ObjectHold, ownerPrefix } from "../../../platform/objects/holds.ts";
import { SecretKey } from "../../../platform/secrets/secret-key.ts";
import { keepWithinQuotas, QuotaExceeded } from "../../quotas/service.ts";
import type { EndpointRow } from "../store.ts";
import { type BatchOutcome, BufferedLog, type LogBatch } from "./buffered-log.ts";
import { newPredictionId } from "./prediction-id.ts";
import { insertLogFile, predictionLogOwners } from "./store.ts";

/** What is logged of a request that was answered. */
export interface LoggedAnswer {
  readonly requestId: string | null;
  readonly coverage: number | null;
  readonly modelId: string;
  readonly ms: number;
  /** How many predictions the answer has. */
  readonly predictions: number;
  /** JSON of the rows, and of the answer. */
  readonly rows: Uint8Array;
  readonly answer: Uint8Array;
}

export const logFileKey = (organizationId: string, id: string): string =>
  `${ownerPrefix(organizationId, predictionLogOwners.folder, id)}predictions.parquet`;

interface OfProcess {
  readonly log: BufferedLog;
  readonly key: Uint8Array;
}

const instances = new WeakMap<Services, OfProcess>();

function ofProcess(services: Services): OfProcess {
  const known = instances.get(services);
  if (known) return known;
  const log = new BufferedLog({
    store: (batch, isLast) => storeBatch(services, batch, isLast),
    log: services.log,
  });
  const made = { log, key: services.secret.derive("prediction-ids") };
  instances.set(services, made);
  return made;
}

/** The one instance of a process's services. */
export const predictionLog = (services: Services): BufferedLog => ofProcess(services).log;

/** The keys that ids of predictions may have been made with. */
export const predictionKeys = ({ secret, config }: Services): Uint8Array[] =>
  [secret, ...config.previousSecretKeys.map((material) => new SecretKey(material))].map((key) =>
    key.derive("prediction-ids"),
  );

/** @returns the prediction's id; null where nothing is logged */
export function logAnswer(
  services: Services,
  organizationId: string,
  { id: endpointId, prediction_log: setting }: Pick<EndpointRow, "id" | "prediction_log">,
  { predictions, ...answered }: LoggedAnswer,
): string | null {
  if (setting === null) return null;
  const { log, key } = ofProcess(services);
  const time = Date.now();
  const predictionId = newPredictionId(key, endpointId, { time, rows: predictions });
  const scope = { organizationId, endpointId, keepDays: setting.keep_days };
  const rows = loggedRows(predictions).length;
  return log.add(scope, { ...answered, predictionId, time }, rows) ? predictionId : null;
}

async function storeBatch(
  services: Services,
  batch: LogBatch,
  isLast: boolean,
): Promise<BatchOutcome> {
  const { organizationId, endpointId, keepDays, requests } = batch;
  const { compute, objects, db, log } = services;
  let file: LogFile;
  try {
    const { predictionLog: thread } = compute;
    file = isLast ? thread.writeHere(requests) : await thread.write(requests);
  } catch (error) {
    // The same would fail again.
    log.error({ err: error, endpoint: endpointId }, "predictions could not be logged");
    return "failed";
  }
  const id = randomUUID();
  const hold = await ObjectHold.take(services, predictionLogOwners, organizationId, [id]);
  try {
    const { length: bytes } = file.bytes;
    await objects.put(logFileKey(organizationId, id), file.bytes);
    const times = requests.map(({ time }) => time);
    const first_at = new Date(times.reduce((least, time) => Math.min(least, time)));
    const last_at = new Date(times.reduce((most, time) => Math.max(most, time)));
    const { rows, models } = file;
    await db.forOrganization(organizationId, async (sql) => {
      await hold.release(sql);
      const row = { id, endpointId, keepDays, rows, bytes, models, first_at, last_at };
      await insertLogFile(sql, organizationId, row);
      await keepWithinQuotas(sql, organizationId, { total_bytes: 0 });
    });
    return "written";
  } catch (error) {
    if (error instanceof QuotaExceeded) {
      log.warn({ endpoint: endpointId, reason: error.message }, "predictions were not logged");
      return "quota";
    }
    // The endpoint was deleted.
    if (isForeignKeyViolation(error)) return "failed";
    throw error;
  } finally {
    await hold.end();
  }
}
