/** The service as its operator sees it: who works, what waits, and by which settings it runs. */

import { z } from "zod";
import { FIRST_ORGANIZATION } from "../../api/auth/bootstrap.ts";
import { getOrganization } from "../../api/auth/key-store.ts";
import type { AuthedContext } from "../../api/context/context.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { Problem } from "../../platform/input/problem.ts";
import { liveWorkers, queueStates, type WorkersTask } from "../../platform/queue/overview.ts";
import { settingsOf } from "../../platform/settings.ts";

const tags = ["Service"];
const nothing = z.strictObject({});
const FOR_OPERATORS =
  "For keys of the organization that the service was started with: it tells of the whole service.";

/** What the whole service does is not for each of those who share it. */
async function assertOperator({ services, auth }: AuthedContext): Promise<void> {
  const organization = await getOrganization(services.db, auth.organizationId);
  if (organization?.slug === FIRST_ORGANIZATION) return;
  throw new Problem(
    "forbidden",
    "This tells of the whole service, and needs a key of the organization that it was started with.",
  );
}

const deviceSchema = z
  .object({
    device: z.enum(["webgpu", "tensorflow"]).meta({
      description: "The `device` of a training job that asks for it.",
    }),
    name: z.string().meta({ description: "Of the adapter, or of the package." }),
    backend: z.string().nullable().meta({
      description: "vulkan, metal or d3d12; null where that is not known.",
    }),
    driver: z.string().meta({ description: "As far as the adapter tells; may be empty." }),
    is_software: z.boolean().meta({
      description: "It computes on the CPU: jobs get it only where they ask for it.",
    }),
    max_buffer_bytes: z.int().nullable().meta({
      description: "Of one buffer on it; adapters do not tell their memory.",
    }),
    state: z.enum(["free", "busy", "held", "gone"]).meta({
      description:
        "busy: fits are on it; held: another process of its machine has it; gone: it was lost or did not open, and is not tried again before the process ends.",
    }),
    reason: z.string().nullable().meta({ description: "Why it is held or gone." }),
  })
  .meta({ id: "WorkerDevice" });

const workerSchema = z
  .object({
    id: z.uuid().meta({ description: "Of this life of the process." }),
    host: z.string().meta({ description: "Name of the machine or container." }),
    pid: z.int().meta({ description: "Number of the process there." }),
    version: z.string().meta({ description: "Of the service." }),
    threads: z.int().meta({ description: "That it trains with." }),
    started_at: z.iso.datetime().meta({ description: "When it began to work the queue." }),
    seen_at: z.iso.datetime().meta({
      description:
        "When it last said that it lives, which it does every 12 seconds at the latest. One that ends is gone from the list within seconds.",
    }),
    devices: z.array(deviceSchema).meta({ description: "That training jobs may have of it." }),
    missing_devices: z.array(z.string()).meta({
      description: "Why it has no GPU, or not one that it was told to use, a sentence each.",
    }),
    tasks: z
      .array(
        z.object({
          id: z.uuid().meta({ description: "Of the task." }),
          queue: z.string().meta({ description: "The kind of work." }),
          attempt: z.int().meta({ description: "1 for the first." }),
          since: z.iso.datetime().meta({ description: "When this attempt began." }),
          resource_id: z.uuid().nullable().meta({
            description: "The job, or the document, that it works on.",
          }),
        }),
      )
      .meta({ description: "What it works on now." }),
  })
  .meta({ id: "Worker" });

const payloadSchema = z.union([
  z.object({ job_id: z.uuid() }).transform(({ job_id }) => job_id),
  z.object({ document_id: z.uuid() }).transform(({ document_id }) => document_id),
]);

const toTask = ({ payload, since, ...task }: WorkersTask) => {
  const parsed = payloadSchema.safeParse(payload);
  return {
    ...task,
    since: since.toISOString(),
    resource_id: parsed.success ? parsed.data : null,
  };
};

const workers = authed("organization:write")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/service/workers",
      summary: "List Workers",
      description: `The processes that work the queue now, servers that train among them, and what each is at. ${FOR_OPERATORS}`,
      tags,
    },
  })
  .input(nothing)
  .output(z.object({ workers: z.array(workerSchema).meta({ description: "Oldest first." }) }))
  .query(async ({ ctx }) => {
    await assertOperator(ctx);
    const live = await liveWorkers(ctx.services.db);
    return {
      workers: live.map(({ startedAt, seenAt, tasks, devices, ...worker }) => ({
        ...worker,
        devices: devices.devices.map(({ isSoftware, maxBufferBytes, ...device }) => ({
          ...device,
          is_software: isSoftware,
          max_buffer_bytes: maxBufferBytes,
        })),
        missing_devices: [...devices.missing],
        started_at: startedAt.toISOString(),
        seen_at: seenAt.toISOString(),
        tasks: tasks.map(toTask),
      })),
    };
  });

const queue = authed("organization:write")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/service/queue",
      summary: "Get Queue",
      description: `What waits and runs, by kind of work, of all organizations and in all processes. ${FOR_OPERATORS}`,
      tags,
    },
  })
  .input(nothing)
  .output(
    z
      .object({
        queues: z
          .array(
            z.object({
              queue: z.string().meta({
                description:
                  "The kind of work; with `.exhausted` behind it, what was given up and is being ended.",
              }),
              waiting: z.int().meta({ description: "Tasks that wait." }),
              running: z.int().meta({ description: "Tasks that run." }),
              oldest_waiting_at: z.iso.datetime().nullable().meta({
                description: "Since when the oldest task that is due waits; null where none does.",
              }),
            }),
          )
          .meta({ description: "By name." }),
        workers: z.int().meta({ description: "How many processes work the queue." }),
      })
      .meta({ id: "QueueState" }),
  )
  .query(async ({ ctx }) => {
    await assertOperator(ctx);
    const { db } = ctx.services;
    const [states, live] = await Promise.all([queueStates(db), liveWorkers(db)]);
    return {
      queues: states.map(({ oldestWaiting, ...state }) => ({
        ...state,
        oldest_waiting_at: oldestWaiting?.toISOString() ?? null,
      })),
      workers: live.length,
    };
  });

const settings = authed("organization:write")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/service/settings",
      summary: "List Settings",
      description: `The settings of the process that answers, as they hold, with where each comes from. Of secrets it says only whether they are set; of URLs it leaves out users, passwords and queries. ${FOR_OPERATORS}`,
      tags,
    },
  })
  .input(nothing)
  .output(
    z.object({
      settings: z
        .array(
          z
            .object({
              name: z.string().meta({ description: "The variable of the environment." }),
              value: z.string().nullable().meta({
                description: "As it would be written; null where nothing is set, and of secrets.",
              }),
              source: z.enum(["environment", "option", "default"]).meta({
                description: "`option` = on the command line.",
              }),
              is_secret: z.boolean().meta({ description: "Its value is never shown." }),
              is_set: z.boolean().meta({ description: "Whether there is a value." }),
            })
            .meta({ id: "Setting" }),
        )
        .meta({ description: "Every variable that the service reads." }),
    }),
  )
  .query(async ({ ctx }) => {
    await assertOperator(ctx);
    return {
      settings: settingsOf(ctx.services.config).map(({ isSecret, isSet, ...setting }) => ({
        ...setting,
        is_secret: isSecret,
        is_set: isSet,
      })),
    };
  });

export const serviceRouter = router({ workers, queue, settings });
