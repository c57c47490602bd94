/**
 * `/healthz`: the process answers. `/readyz`: so do the database, the object store and a worker, and the
 * disk has room. `/v2/health/live` and `/v2/health/ready` say the same in the Open Inference Protocol.
 */
import { statfs } from "node:fs/promises";
import { z } from "zod";
import { Problem } from "../../platform/input/problem.ts";
import {
  ObjectStoreUnavailableError,
  STORE_FAILURES,
} from "../../platform/objects/object-store.ts";
import type { Services } from "../services.ts";
import { API_VERSION } from "./document/openapi.ts";
import { type RawRoute, rawRoute } from "./routing/raw-route.ts";

const tags = ["Health"];
const CHECK_TIMEOUT_MS = 3_000;
/** Probes that come faster than this share one look. */
const SHARED_MS = 1_000;
/** What must be free under the home: with less, the embedded database soon stops. */
const ROOM_BYTES = 64 << 20;

const aliveSchema = z.object({
  status: z.literal("ok"),
  version: z.string().meta({ description: "Version of the service and of its interface." }),
});

const healthz = rawRoute({
  operation: { method: "GET", path: "/healthz", summary: "Alive", tags, operationId: "healthz" },
  scope: null,
  responses: {
    200: {
      description: "The process answers",
      content: { "application/json": { schema: aliveSchema } },
    },
  },
  handler: async () => ({ json: { status: "ok", version: API_VERSION } }),
});

const inferenceLive = rawRoute({
  operation: {
    method: "GET",
    path: "/v2/health/live",
    summary: "Alive (Open Inference Protocol)",
    tags,
    operationId: "inference_live",
    failures: "error",
  },
  scope: null,
  responses: {
    200: {
      description: "The process answers",
      content: { "application/json": { schema: z.object({ live: z.literal(true) }) } },
    },
  },
  handler: async () => ({ json: { live: true } }),
});

const readySchema = z.object({
  status: z.literal("ready"),
  checks: z.object({
    database: z.literal("ok"),
    object_store: z.literal("ok"),
    worker: z.literal("ok"),
    disk: z.literal("ok"),
  }),
});

export type ReadinessChecks = Readonly<
  Record<"database" | "object_store" | "worker" | "disk", () => Promise<unknown>>
>;

export function platformChecks(services: Services): ReadinessChecks {
  return {
    database: () => services.db.systemQuery((sql) => sql`select 1`),
    object_store: () => services.objects.check(),
    worker: async () => {
      if (!(await services.queue.hasWorker())) throw new Error("no process works the queue");
    },
    disk: async () => {
      const { bavail, bsize } = await statfs(services.config.home);
      if (bavail * bsize < ROOM_BYTES) throw new Error("the disk of the home is full");
    },
  };
}

/**
 * The probes. What exactly failed is for the log, its name for everybody.
 *
 * @param onFailure told of a check that fails, once until it holds again
 */
export function healthRoutes(
  checks: ReadinessChecks,
  onFailure: (check: string, error: unknown) => void,
): RawRoute[] {
  const told = new Set<string>();
  let shared: { at: number; failed: Promise<FailedCheck[]> } | null = null;
  const look = async (): Promise<FailedCheck[]> => {
    const failed = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await withTimeout(check());
          told.delete(name);
          return null;
        } catch (error) {
          if (!told.has(name)) onFailure(name, error);
          told.add(name);
          return { name, error };
        }
      }),
    );
    return failed.filter((check) => check !== null);
  };
  const readyz = rawRoute({
    operation: {
      method: "GET",
      path: "/readyz",
      summary: "Ready",
      description: "The database, the object store and a worker answer, and the disk has room.",
      tags,
      operationId: "readyz",
      errors: ["unavailable"],
    },
    scope: null,
    responses: {
      200: {
        description: "Ready for work",
        content: { "application/json": { schema: readySchema } },
      },
    },
    async handler() {
      const now = performance.now();
      if (shared === null || now - shared.at >= SHARED_MS) shared = { at: now, failed: look() };
      const failed = await shared.failed;
      if (failed.length > 0) {
        throw new Problem("unavailable", notReady(failed), {
          headers: { "retry-after": "1" },
        });
      }
      const ok = Object.fromEntries(Object.keys(checks).map((name) => [name, "ok"]));
      return { json: { status: "ready", checks: ok } };
    },
  });
  const inferenceReady = rawRoute({
    operation: {
      method: "GET",
      path: "/v2/health/ready",
      summary: "Ready (Open Inference Protocol)",
      description: "As `/readyz`.",
      tags,
      operationId: "inference_ready",
      errors: ["unavailable"],
      failures: "error",
    },
    scope: null,
    responses: {
      200: {
        description: "Ready for work",
        content: { "application/json": { schema: z.object({ ready: z.literal(true) }) } },
      },
    },
    async handler(call) {
      await readyz.handle(call);
      return { json: { ready: true } };
    },
  });
  return [healthz, readyz, inferenceLive, inferenceReady];
}

interface FailedCheck {
  readonly name: string;
  readonly error: unknown;
}

function notReady(failed: readonly FailedCheck[]): string {
  const told = failed.map((check) => ({ ...check, reason: reasonOf(check) }));
  const silent = told.filter(({ reason }) => reason === null).map(({ name }) => name);
  const reasons = [
    ...(silent.length > 0 ? [`no answer from: ${silent.join(", ")}`] : []),
    ...told.flatMap(({ reason }) => reason ?? []),
  ];
  return `Not ready; ${reasons.join("; ")}.`;
}

/** Null where it does not answer. */
function reasonOf({ name, error }: FailedCheck): string | null {
  if (name === "disk") return "the disk is full";
  if (!(error instanceof ObjectStoreUnavailableError) || error.failure === "away") return null;
  return `the object store ${STORE_FAILURES[error.failure]}`;
}

async function withTimeout(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
