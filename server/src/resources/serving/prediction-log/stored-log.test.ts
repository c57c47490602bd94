/** Logged predictions on their way into the object store, and out of it again. */

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openServices, type Services } from "../../../api/services.ts";
import { parseConfig } from "../../../platform/config.ts";
import { createLogger } from "../../../platform/log.ts";
import { ObjectStoreUnavailableError } from "../../../platform/objects/object-store.ts";
import { sweepObjects } from "../../../platform/objects/sweep.ts";
import { prepareHome } from "../../../testing/prepared-home.ts";
import { saveQuotas } from "../../quotas/service.ts";
import { NO_QUOTAS } from "../../quotas/store.ts";
import { deleteEndpoint, type EndpointRow, insertEndpoint } from "../store.ts";
import { dropExpiredLogs } from "./expiry.ts";
import { readPredictionId } from "./prediction-id.ts";
import { listLogFiles, predictionLogOwners, saveLabels } from "./store.ts";
import { logAnswer, logFileKey, predictionKeys, predictionLog } from "./stored-log.ts";

let services: Services;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "distillery-prediction-log-"));
  await prepareHome(home);
  const config = parseConfig({ DISTILLERY_HOME: home, DISTILLERY_WORKERS: "0" });
  services = await openServices(config, createLogger({ level: "silent" }), "server");
});
afterAll(async () => {
  await predictionLog(services).close();
  await services.close();
  await rm(home, { recursive: true, force: true });
});

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

async function endpointOf(organizationId: string): Promise<EndpointRow> {
  const id = randomUUID();
  const row = await services.db.forOrganization(organizationId, (sql) =>
    insertEndpoint(sql, organizationId, id, {
      name: `e-${id}x`,
      models: [],
      slots: [],
      shadow_model_id: null,
      shadow_percent: 100,
      prediction_log: { sample_rate: 1, keep_days: 2 },
    }),
  );
  if (row === null) throw new Error("there is no endpoint");
  return row;
}

/** Two predictions of one request. */
function logTwo(organizationId: string, endpoint: EndpointRow): string {
  const id = logAnswer(services, organizationId, endpoint, {
    requestId: null,
    coverage: null,
    modelId: randomUUID(),
    ms: 1,
    predictions: 2,
    rows: bytes({ instances: [{ x: 1 }, { x: 2 }] }),
    answer: bytes({ predictions: [{ value: 1 }, { value: 2 }] }),
  });
  if (id === null) throw new Error("it was not logged");
  return id;
}

const files = (organizationId: string, { id }: EndpointRow) =>
  listLogFiles(services.db, organizationId, id, 10, null);
const log = () => predictionLog(services);

it("becomes a file with its row, and goes with its labels when its days are over", async () => {
  const organizationId = randomUUID();
  const endpoint = await endpointOf(organizationId);
  const id = logTwo(organizationId, endpoint);
  expect(readPredictionId(predictionKeys(services), endpoint.id, id)?.rows).toBe(2);
  await log().flush();
  const [file] = await files(organizationId, endpoint);
  if (!file) throw new Error("there is no file");
  const key = logFileKey(organizationId, file.id);
  expect((await services.objects.head(key))?.bytes).toBe(file.bytes);
  expect(log().countersOf(endpoint.id)).toMatchObject({ written: 2, waiting: 0 });
  await sweepObjects(services, { kinds: [predictionLogOwners] });
  expect(await services.objects.head(key)).not.toBeNull();

  const of = { prediction_id: id, label: "1", predicted_at: file.last_at };
  const labels = [0, 1].map((row_index) => ({ ...of, row_index }));
  expect(await saveLabels(services.db, organizationId, endpoint.id, labels)).toEqual({
    added: 2,
    replaced: 0,
  });
  const kept = async () =>
    (await services.db.systemQuery((sql) => sql`select from prediction_feedback`)).length;
  expect(await dropExpiredLogs(services)).toBe(0);
  expect(await kept()).toBe(2);
  await services.db.systemQuery(
    (sql) => sql`
      update prediction_feedback set predicted_at = predicted_at - interval '3 days'`,
  );
  await services.db.systemQuery(
    (sql) => sql`
      update prediction_log_files
      set first_at = first_at - interval '3 days', last_at = last_at - interval '3 days',
          expires_at = expires_at - interval '3 days'`,
  );
  expect(await dropExpiredLogs(services)).toBe(1);
  expect(await files(organizationId, endpoint)).toEqual([]);
  expect(await services.objects.head(key)).toBeNull();
  expect(await kept()).toBe(0);
});

it("waits for an object store that does not answer", async () => {
  const organizationId = randomUUID();
  const endpoint = await endpointOf(organizationId);
  const put = vi
    .spyOn(services.objects, "put")
    .mockRejectedValueOnce(new ObjectStoreUnavailableError("away"));
  logTwo(organizationId, endpoint);
  await log().flush();
  expect(put).toHaveBeenCalledOnce();
  expect(log().countersOf(endpoint.id)).toMatchObject({ written: 0, waiting: 2 });
  expect(await files(organizationId, endpoint)).toEqual([]);
  await log().flush();
  put.mockRestore();
  expect(log().countersOf(endpoint.id)).toMatchObject({ written: 2, waiting: 0 });
  expect(await files(organizationId, endpoint)).toMatchObject([{ rows: 2 }]);
});

it("is dropped, counted and leaves nothing where a quota is full, or the endpoint is gone", async () => {
  const organizationId = randomUUID();
  const endpoint = await endpointOf(organizationId);
  await services.db.forOrganization(organizationId, (sql) =>
    saveQuotas(sql, organizationId, { ...NO_QUOTAS, total_bytes: 10 }),
  );
  logTwo(organizationId, endpoint);
  await log().flush();
  expect(log().countersOf(endpoint.id)).toMatchObject({ waiting: 0, dropped: { quota: 2 } });
  expect(await files(organizationId, endpoint)).toEqual([]);

  const gone = await endpointOf(organizationId);
  logTwo(organizationId, gone);
  await deleteEndpoint(services.db, organizationId, gone.id);
  await log().flush();
  expect(log().countersOf(gone.id)).toMatchObject({ waiting: 0, dropped: { failed: 2 } });
  const left: string[] = [];
  const prefix = `organizations/${organizationId}/`;
  for await (const { key } of services.objects.list(prefix)) left.push(key);
  expect(left).toEqual([]);
});
