/** What is the same for every kind of jobs, with a kind that only counts. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { authed, mergeRouters, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import type { Services } from "../../api/services.ts";
import { DISK_FULL } from "../../platform/files/disk-full.ts";
import { createLogger } from "../../platform/log.ts";
import { FileObjectStore } from "../../platform/objects/file-store.ts";
import { ObjectUrlSigner } from "../../platform/objects/signed-url.ts";
import { Queue } from "../../platform/queue/queue.ts";
import { SecretKey } from "../../platform/secrets/secret-key.ts";
import {
  authenticate,
  createTestHttp,
  ORGANIZATIONS,
  type TestHttp,
} from "../../testing/http-service.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import type { JobKinds } from "./any-job.ts";
import { jobEvents } from "./event-stream.ts";
import type { JobRow, NewJob } from "./job.ts";
import {
  type JobArea,
  type JobEnd,
  type JobKind,
  type JobScene,
  jobQueue,
  resultRecord,
} from "./kind.ts";
import { jobOperations, jobPage } from "./operations.ts";
import { jobResult } from "./result.ts";
import { jobsRouter } from "./router.ts";
import { CANCELLED, workJobs } from "./run-job.ts";
import {
  appendEvent,
  cancelJob,
  findJob,
  jobKey,
  jobOwners,
  refuseWhileUsed,
  registerJob,
  removeJob,
} from "./service.ts";

const MINE = ORGANIZATIONS.first;
const log = createLogger({ level: "silent" });

interface CountRow extends JobRow {
  readonly request: { readonly to: number };
  readonly progress: { readonly at: number } | null;
  readonly result: { readonly counted: number } | null;
}

class OwnFault extends Error {}

const area: JobArea = {
  read: "serving:read",
  write: "serving:write",
  aJob: "a count",
  folder: "counts",
};
type Run = (
  scene: JobScene<CountRow["progress"]>,
  job: CountRow,
) => Promise<JobEnd<{ counted: number }>>;

/** What a test has the next runs do, and what they did. */
let run: Run;
let needs: CountRow["progress"];
let followed: string[];

const countKind = (name: string, more: Partial<JobKind<CountRow>> = {}): JobKind<CountRow> => ({
  name,
  area,
  makes: "the number of a count",
  queue: jobQueue(`test.${name}`, { maxAttempts: 3 }),
  resultSchema: resultRecord(name, z.object({ counted: z.int() })),
  toResult: ({ result }) => ({ result: { counted: result?.counted ?? 0 } }),
  metricsSchema: z.object({ at: z.int() }),
  toMetrics: (_ctx, { progress }) => ({ at: progress?.at ?? 0 }),
  toProgress: ({ progress }) => ({ at: progress?.at ?? 0 }),
  toEvent: (entry) => ({ shown: entry }),
  waiting: async () => needs,
  run: (scene, job) => run(scene, job),
  isOwnFault: (error) => error instanceof OwnFault,
  async follow(_sql, jobId, status, message) {
    followed.push(`${jobId} ${status} ${message}`.trim());
  },
  ...more,
});

const KINDS = [
  countKind("count", { refusals: { datasets: (open) => `${open} counts go on` } }),
  countKind("recount", { rows: { json: "rows.json", parquet: "rows.parquet", columns: "n" } }),
] as const satisfies JobKinds;
const [count, recount] = KINDS;

const shown = z.object({ id: z.uuid(), kind: z.string(), status: z.string() });

const countsRouter = router({
  counts: authed(area.read)
    .meta({
      openapi: { method: "GET", path: "/v1/counts", summary: "List Counts", tags: ["Counts"] },
    })
    .input(z.strictObject({ ...pageQuery, tag: z.string() }))
    .output(z.object({ counts: z.array(shown), next_page_token: nextPageToken }))
    .query(async ({ ctx, input: { tag, ...page } }) => {
      const filter = { tags: [{ key: tag, value: null }] };
      const kinds = ["count", "recount"];
      const request = { list: "counts", kinds, filter, asked: [tag], ...page };
      const { entries, next_page_token } = await jobPage<CountRow>(ctx, request);
      return { counts: [...entries], next_page_token };
    }),
  ...jobOperations<CountRow, z.output<typeof shown>>({
    kinds: [count, recount],
    path: "/v1/counts",
    title: "Count",
    tags: ["Counts"],
    called: "count",
    deletion: "Deletes an ended count.",
    schema: shown,
    toRecord: (_ctx, { id, kind, status }) => ({ id, kind, status }),
  }),
});

let temporary: TemporaryDatabase;
let services: Services;
let http: TestHttp;
const queues: Queue[] = [];

async function openQueue(): Promise<Queue> {
  const queue = await Queue.open(temporary.database, log);
  queues.push(queue);
  return queue;
}

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const signer = new ObjectUrlSigner(new Uint8Array(32));
  const objects = await FileObjectStore.open(join(temporary.home, "store"), signer);
  const queue = await openQueue();
  const secret = new SecretKey("a secret that is long enough for a test");
  services = { db: temporary.database, log, objects, queue, secret } as unknown as Services;
  const routers = mergeRouters(jobsRouter(KINDS), countsRouter);
  http = await createTestHttp(routers, [jobResult(KINDS), jobEvents(KINDS)], { services });
});
afterAll(async () => {
  await http.app.close();
  await queues[0]?.close(200);
  await temporary.close();
});
beforeEach(() => {
  needs = null;
  followed = [];
  run = async (_scene, { request }) => ({ result: { counted: request.to } });
});
afterEach(async () => {
  for (const queue of queues.splice(1)) await queue.close(200);
});

/** In a process of its own, as far as the queue is concerned. */
async function startWorker(): Promise<Queue> {
  const queue = await openQueue();
  await workJobs({ ...services, queue }, KINDS);
  return queue;
}

const context = (organizationId: string = MINE): AuthedContext =>
  ({ services, auth: { organizationId } }) as unknown as AuthedContext;

async function register(
  kind: JobKind<CountRow> = count,
  more: Partial<NewJob<CountRow>> = {},
): Promise<string> {
  const id = randomUUID();
  await services.db.forOrganization(MINE, (sql) =>
    registerJob<CountRow>(services, sql, MINE, kind, {
      id,
      request: { to: 3 },
      details: {},
      ...more,
    }),
  );
  return id;
}

async function jobOf(id: string): Promise<CountRow> {
  const job = await findJob<CountRow>(services.db, MINE, null, id);
  if (!job) throw new Error(`there is no job ${id}`);
  return job;
}

const status = async (id: string) => (await jobOf(id)).status;
const ends = (id: string, as: string) => expect.poll(() => status(id)).toBe(as);

async function ask(
  url: string,
  headers: Record<string, string> = {},
  token = "all",
  method: "GET" | "POST" | "DELETE" = "GET",
) {
  const authorization = `Bearer ${token}`;
  const { statusCode, body } = await http.app.inject({
    method,
    url,
    headers: { authorization, ...headers },
  });
  return { status: statusCode, body };
}

describe("registering", () => {
  it("is job and task together, or neither", async () => {
    const id = randomUUID();
    const fails = services.db.forOrganization(MINE, async (sql) => {
      await registerJob<CountRow>(services, sql, MINE, count, {
        id,
        request: { to: 1 },
        details: {},
      });
      throw new Error("the request fails");
    });
    await expect(fails).rejects.toThrow("the request fails");
    expect(await findJob(services.db, MINE, null, id)).toBeNull();
    const ran: string[] = [];
    run = async (_scene, job) => {
      ran.push(job.id);
      return { result: { counted: 0 } };
    };
    await startWorker();
    const other = await register();
    await ends(other, "completed");
    expect(ran).toEqual([other]);
  });

  it("of the same request again registers nothing", async () => {
    const again = { id: await register(), request: { to: 9 }, details: {} };
    const isNew = await services.db.forOrganization(MINE, (sql) =>
      registerJob<CountRow>(services, sql, MINE, count, again),
    );
    expect(isNew).toBe(false);
    expect((await jobOf(again.id)).request).toEqual({ to: 3 });
    await cancelJob<CountRow>(context(), [count], again.id);
  });
});

describe("a run", () => {
  it("completes the job together with what it makes, and has said how far it is", async () => {
    run = async ({ progress }, { id, request }) => {
      progress.at("counting", () => ({ at: 2 }));
      return {
        result: { counted: request.to },
        alongside: async (sql) => {
          await sql`update jobs set name = 'made' where id = ${id} and status = 'completed'`;
        },
      };
    };
    const id = await register();
    expect(await jobOf(id)).toMatchObject({ status: "pending", started_at: null, progress: null });
    await startWorker();
    await ends(id, "completed");
    expect(await jobOf(id)).toMatchObject({
      name: "made",
      progress: { at: 2 },
      result: { counted: 3 },
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
    });
    expect(followed).toEqual([`${id} running`]);
  });

  it("that meets a fault of the job's own ends it, and what it makes with it", async () => {
    let runs = 0;
    run = async () => {
      runs++;
      throw new OwnFault("There are no such numbers.");
    };
    const id = await register();
    await startWorker();
    await ends(id, "failed");
    expect((await jobOf(id)).error_message).toBe("There are no such numbers.");
    expect(followed).toEqual([`${id} running`, `${id} failed There are no such numbers.`]);
    expect(runs).toBe(1);
  });

  it("that fails otherwise is tried again, and the job stays open meanwhile", async () => {
    const attempts: number[] = [];
    run = async ({ task }) => {
      attempts.push(task.attempt);
      if (task.attempt === 1) throw new Error("a fault of the machine");
      return { result: { counted: 1 } };
    };
    const id = await register();
    expect((await jobOf(id)).retry).toBeNull();
    await startWorker();
    await expect.poll(async () => (await jobOf(id)).retry).not.toBeNull();
    expect(await jobOf(id)).toMatchObject({
      status: "running",
      retry: { attempt: 1, message: "a fault of the machine", failed_at: expect.any(String) },
    });
    await ends(id, "completed");
    expect(attempts).toEqual([1, 2]);
    expect((await jobOf(id)).retry).toBeNull();
  });

  it("whose machine has no room is tried again, whatever its kind takes for its own fault", async () => {
    run = async ({ task }) => {
      const full = Object.assign(new OwnFault("ENOSPC: write '/var/x'"), { code: "ENOSPC" });
      if (task.attempt === 1) throw full;
      return { result: { counted: 1 } };
    };
    const id = await register();
    await startWorker();
    await expect.poll(async () => (await jobOf(id)).retry).not.toBeNull();
    expect((await jobOf(id)).retry?.message).toBe(DISK_FULL);
    await ends(id, "completed");
  });

  it.each([2, -2])(
    "knows its age by the database's clock where its own is %i h off",
    async (hours) => {
      const ages: number[] = [];
      run = async ({ elapsed }) => {
        ages.push(elapsed());
        return { result: { counted: 1 } };
      };
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * 3_600_000 });
      try {
        const id = await register();
        await startWorker();
        await ends(id, "completed");
      } finally {
        vi.useRealTimers();
      }
      expect(ages).toEqual([expect.closeTo(0, -2)]);
    },
  );

  it("that a process gave up is taken up by another, from the job as it is", async () => {
    let begun = 0;
    run = ({ signal }) =>
      new Promise((_, reject) => {
        begun++;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const id = await register();
    const first = await startWorker();
    await expect.poll(() => begun).toBe(1);
    const { started_at } = await jobOf(id);
    await first.close(5000);
    expect(await status(id)).toBe("running");
    run = async () => ({ result: { counted: 7 } });
    await startWorker();
    await ends(id, "completed");
    expect(await jobOf(id)).toMatchObject({ started_at, result: { counted: 7 } });
  });

  it("waits for what the job needs, behind other jobs", async () => {
    needs = { at: 1 };
    const id = await register();
    await startWorker();
    await expect.poll(async () => (await jobOf(id)).progress).toEqual({ at: 1 });
    expect(await status(id)).toBe("pending");
    expect(followed).toEqual([]);
    needs = null;
    await ends(id, "completed");
  });

  it("goes on beside runs of other kinds", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    run = async (_scene, { kind }) => {
      if (kind === "count") await gate;
      return { result: { counted: 1 } };
    };
    const slow = await register(count);
    const quick = await register(recount);
    await startWorker();
    await ends(quick, "completed");
    expect(await status(slow)).not.toBe("completed");
    release();
    await ends(slow, "completed");
  });
});

describe("cancelling", () => {
  it("ends a job that waits at once, and its task does nothing", async () => {
    const id = await register();
    expect((await cancelJob<CountRow>(context(), [count], id)).error_message).toBe(CANCELLED);
    expect(followed).toEqual([`${id} failed ${CANCELLED}`]);
    await startWorker();
    const other = await register();
    await ends(other, "completed");
    expect(await status(id)).toBe("failed");
    await expect(cancelJob<CountRow>(context(), [count], id)).rejects.toThrow(/is failed already/);
  });

  it("tells the run of a job that it is to end", async () => {
    run = async ({ signal }) => {
      while (!signal.aborted) await delay(5);
      throw new Error("aborted on the way");
    };
    const id = await register();
    await startWorker();
    await ends(id, "running");
    await cancelJob<CountRow>(context(), [count], id);
    await ends(id, "failed");
    expect((await jobOf(id)).error_message).toBe(CANCELLED);
  });

  it("that comes with the last step of a run ends the job as it says", async () => {
    const made: string[] = [];
    run = async (_scene, { id }) => {
      expect((await cancelJob<CountRow>(context(), [count], id)).status).toBe("running");
      const alongside = async (): Promise<void> => void made.push(id);
      return { result: { counted: 3 }, alongside };
    };
    const id = await register();
    await startWorker();
    await ends(id, "failed");
    expect(await jobOf(id)).toMatchObject({ error_message: CANCELLED, result: null });
    expect(made).toEqual([]);
    expect(followed).toEqual([`${id} running`, `${id} failed ${CANCELLED}`]);
  });

  it("finds jobs of its own kinds and organization alone", async () => {
    const id = await register();
    const found = /no such count/;
    await expect(cancelJob<CountRow>(context(), [recount], id, "count")).rejects.toThrow(found);
    const other = context(ORGANIZATIONS.second);
    await expect(cancelJob<CountRow>(other, [count], id, "count")).rejects.toThrow(found);
    expect(await status(id)).toBe("pending");
    await cancelJob<CountRow>(context(), [count], id);
  });
});

describe("deleting", () => {
  it("waits for the job's end, and takes what it kept along", async () => {
    const id = await register();
    const job = await jobOf(id);
    const key = jobKey(area, job, "rows.json");
    await services.objects.put(key, Buffer.from("[]"));
    await expect(removeJob<CountRow>(context(), [count], id)).rejects.toThrow(/cancel it first/);
    await cancelJob<CountRow>(context(), [count], id);
    await removeJob<CountRow>(context(), [count], id);
    expect(await services.objects.head(key)).toBeNull();
    expect(await findJob(services.db, MINE, null, id)).toBeNull();
    await expect(removeJob<CountRow>(context(), [count], id)).rejects.toThrow(/no such job/);
  });

  it("of what is kept without a job is the sweeper's, once a folder", async () => {
    const id = await register();
    const [owners, ...others] = jobOwners(KINDS);
    expect([owners?.folder, others]).toEqual(["counts", []]);
    const existing = await services.db.system(async (sql) =>
      owners?.existing(sql, [id, randomUUID()]),
    );
    expect(existing).toEqual([id]);
    await cancelJob<CountRow>(context(), [count], id);
  });
});

describe("what open jobs refer to", () => {
  const [dataset, model] = [randomUUID(), randomUUID()];
  const refusal = (resource: "datasets" | "models", id: string) =>
    services.db.forOrganization(MINE, (sql) => refuseWhileUsed(sql, KINDS, MINE, resource, id));

  it("is kept, in the words of their kind, until they end", async () => {
    const refersTo = { datasets: [randomUUID(), dataset], models: [model] };
    const ids = [await register(count, refersTo), await register(count, refersTo)];
    await expect(refusal("datasets", dataset)).rejects.toThrow("2 counts go on");
    await expect(refusal("models", model)).rejects.toThrow("An open count refers to this model");
    await refusal("models", dataset);
    await refusal("datasets", randomUUID());
    for (const id of ids) await cancelJob<CountRow>(context(), [count], id);
    await refusal("datasets", dataset);
  });
});

describe("over HTTP", () => {
  it("jobs of an area are got, cancelled and deleted, with its scopes", async () => {
    const id = await register(recount);
    const url = `/v1/counts/${id}`;
    const cancel = (token?: string) => ask(`${url}/cancel`, {}, token, "POST");
    const remove = (token?: string) => ask(url, {}, token, "DELETE");
    expect(JSON.parse((await ask(url)).body)).toEqual({ id, kind: "recount", status: "pending" });
    for (const [token, status] of [
      ["reader", 403],
      ["other", 404],
    ] as const) {
      expect((await ask(url, {}, token)).status).toBe(status);
      expect((await cancel(token)).status).toBe(status);
      expect((await remove(token)).status).toBe(status);
    }
    expect((await remove()).status).toBe(409);
    expect(JSON.parse((await cancel()).body)).toMatchObject({ id, status: "failed" });
    expect((await cancel()).status).toBe(409);
    expect(JSON.parse((await remove()).body)).toEqual({ id, deleted: true });
    expect((await ask(url)).status).toBe(404);
  });

  it("pages hold jobs of all kinds of an area, newest first", async () => {
    const jobs: CountRow[] = [];
    for (const kind of [count, recount, count, recount, recount]) {
      jobs.push(await jobOf(await register(kind, { tags: { listed: true } })));
    }
    const places = jobs.map(({ id, created_at }) => ({
      id,
      place: `${created_at.toISOString()}${id}`,
    }));
    const newest = places.toSorted((a, b) => (a.place < b.place ? 1 : -1)).map(({ id }) => id);
    const url = "/v1/counts?tag=listed&limit=2";
    const listed: string[] = [];
    let token = "";
    for (let pages = 0; pages < 3; pages++) {
      const { counts, next_page_token } = JSON.parse((await ask(url + token)).body);
      expect(counts.length).toBe(pages < 2 ? 2 : 1);
      listed.push(...counts.map(({ id }: { id: string }) => id));
      token = `&page_token=${next_page_token}`;
    }
    expect(listed).toEqual(newest);
    expect(token).toBe("&page_token=null");
    for (const id of newest) await cancelJob<CountRow>(context(), [...KINDS], id);
  });

  it("a job is looked at with the scope of its area, by its organization", async () => {
    const id = await register();
    for (const url of [`/v1/results/${id}`, `/v1/jobs/${id}/metrics`, `/v1/jobs/${id}/events`]) {
      expect((await ask(url, {}, "reader")).status).toBe(403);
      expect((await ask(url, {}, "other")).status).toBe(404);
      expect((await ask(url.replace(id, randomUUID()))).status).toBe(404);
    }
    expect(JSON.parse((await ask(`/v1/jobs/${id}/metrics`)).body)).toEqual({
      job_id: id,
      metrics: { at: 0 },
    });
    expect(JSON.parse((await ask(`/v1/results/${id}`)).body)).toEqual({
      job_id: id,
      kind: "count",
      status: "pending",
    });
    await cancelJob<CountRow>(context(), [count], id);
    expect(JSON.parse((await ask(`/v1/results/${id}`)).body)).toMatchObject({
      status: "failed",
      error_message: CANCELLED,
    });
  });

  it("its events are the log, the progress and the end, and go on behind the last one", async () => {
    run = async ({ progress }, job) => {
      for (const n of [1, 2]) {
        await services.db.system((sql) => appendEvent(sql, job, n, { n }));
      }
      progress.at("counting", () => ({ at: 2 }));
      return { result: { counted: 2 } };
    };
    const id = await register();
    await startWorker();
    await ends(id, "completed");
    const end = 'event: end\ndata: {"status":"completed","error_message":""}\n\n';
    const progress = 'event: progress\ndata: {"at":2}\n\n';
    const entry = (n: number) => `id: ${n}\nevent: run\ndata: {"shown":{"n":${n}}}\n\n`;
    const url = `/v1/jobs/${id}/events`;
    expect((await ask(url)).body).toBe(entry(1) + entry(2) + progress + end);
    expect((await ask(url, { "last-event-id": "1" })).body).toBe(entry(2) + progress + end);
  });

  it("its events end when the token that asked for them does not hold any more", async () => {
    const revoked = new Set<string | undefined>();
    const guarded = await createTestHttp(router({}), [jobEvents(KINDS)], {
      services,
      authenticate: async ({ headers: { authorization } }) =>
        authenticate({
          headers: { authorization: revoked.has(authorization) ? "Bearer revoked" : authorization },
        }),
    });
    const base = await guarded.app.listen({ host: "127.0.0.1", port: 0 });
    const id = await register();
    const open = async () => {
      const headers = { authorization: "Bearer all" };
      const response = await fetch(`${base}/v1/jobs/${id}/events`, { headers });
      return { status: response.status, reader: response.body!.getReader() };
    };
    const { status, reader } = await open();
    expect(status).toBe(200);
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toContain("event: progress");
    revoked.add("Bearer all");
    expect((await reader.read()).done).toBe(true);
    expect((await open()).status).toBe(401);
    await guarded.app.close();
    await cancelJob<CountRow>(context(), [count], id);
  });

  it("rows are put into the result as they lie there, or given as Parquet", async () => {
    run = async (_scene, job) => {
      await services.objects.put(jobKey(area, job, "rows.json"), Buffer.from('[{"n":1}]'));
      await services.objects.put(jobKey(area, job, "rows.parquet"), Buffer.from("PAR1"));
      return { result: { counted: 1 } };
    };
    const id = await register(recount);
    const url = `/v1/results/${id}`;
    const accept = { accept: "application/vnd.apache.parquet" };
    expect((await ask(url, accept)).status).toBe(409);
    await startWorker();
    await ends(id, "completed");
    expect(JSON.parse((await ask(url)).body)).toMatchObject({
      status: "completed",
      result: { counted: 1, rows: [{ n: 1 }] },
    });
    expect((await ask(url, accept)).body).toBe("PAR1");
    const plain = await register(count);
    expect((await ask(`/v1/results/${plain}`, accept)).status).toBe(406);
  });
});
