/**
 * Nothing is left behind: each create and each delete is cut off at every step that it takes, as a
 * kill would, and after a sweep there are objects of those alone that have a row, and of all of them.
 * `DISTILLERY_LONG=1` takes every step on S3 too.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServices, type Services } from "./api/services.ts";
import { createApp } from "./app.ts";
import { JOB_KINDS } from "./kinds.ts";
import { parseConfig } from "./platform/config.ts";
import { createLogger } from "./platform/log.ts";
import { ObjectHold, type OwnerKind, ownerPrefix } from "./platform/objects/holds.ts";
import { ObjectStoreUnavailableError } from "./platform/objects/object-store.ts";
import { sweepObjects } from "./platform/objects/sweep.ts";
import { pruneJob } from "./resources/jobs/service.ts";
import { OWNER_KINDS } from "./sweeping.ts";
import { S3Service } from "./testing/s3-service.ts";

const KEY = "a-key-of-these-tests";
const log = createLogger({ level: "silent" });
const s3 = await S3Service.create();
const folder = await mkdtemp(join(tmpdir(), "distillery-sweep-"));
Object.assign(process.env, s3.credentials);
afterAll(async () => {
  await s3.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Lets so many steps through, and then nothing: neither this one nor any that follows. */
class Steps {
  #left: number;
  constructor(left: number) {
    this.#left = left;
  }

  take(): void {
    if (this.#left-- <= 0) throw new Error("killed");
  }

  get killed(): boolean {
    return this.#left < 0;
  }
}

/** Every call of a method is a step, before it begins and, where it gives a promise, after it is done. */
function stepping<Target extends object>(target: Target, steps: Pick<Steps, "take">): Target {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...parameters: unknown[]) => {
        steps.take();
        const result: unknown = Reflect.apply(member, target, parameters);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          steps.take();
          return value;
        });
      };
    },
  });
}

interface Scene {
  readonly services: Services;
  readonly app: FastifyInstance;
  readonly organizationId: string;
}

async function openScene(services: Services): Promise<Scene> {
  const { app } = await createApp(services);
  const headers = { authorization: `Bearer ${KEY}` };
  const organizationId = (await app.inject({ url: "/v1/organization", headers })).json().id;
  return { services, app, organizationId };
}

/** Rows and objects of something that is there already. */
async function insert(
  { services, organizationId }: Scene,
  kindFolder: string,
  files: readonly string[],
  row: (id: string) => Parameters<Services["db"]["system"]>[0],
): Promise<string> {
  const id = randomUUID();
  for (const file of files) {
    await services.objects.put(
      ownerPrefix(organizationId, kindFolder, id) + file,
      Buffer.from("x"),
    );
  }
  await services.db.system(row(id));
  return id;
}

interface Operation {
  readonly name: string;
  /** What there must be before, and the request. */
  prepare(scene: Scene): Promise<InjectOptions>;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: "a dataset is registered",
    prepare: async () => ({
      method: "POST",
      url: `/v1/datasets?name=${randomUUID()}`,
      headers: { "content-type": "text/csv" },
      payload: "a,b\n1,2\n3,4\n",
    }),
  },
  {
    name: "a document is uploaded",
    prepare: async () => ({
      method: "POST",
      url: "/v1/documents",
      headers: { "content-type": "application/json" },
      payload: { name: "note", text: `A note of ${randomUUID()}` },
    }),
  },
  {
    name: "a dataset is deleted",
    prepare: async (scene) => {
      const { organizationId: org } = scene;
      const id = await insert(scene, "datasets", ["data", "table"], (id) => async (sql) => {
        await sql`
          insert into datasets (id, organization_id, name, format, object_key, table_key, rows,
                                bytes, hash, source, columns, profile, warnings)
          values (${id}, ${org}, 'd', 'csv', ${`${ownerPrefix(org, "datasets", id)}data`},
                  ${`${ownerPrefix(org, "datasets", id)}table`}, 1, 1, '', '{}', '[]', '[]', '[]')`;
      });
      return { method: "DELETE", url: `/v1/datasets/${id}` };
    },
  },
  {
    name: "a model is deleted",
    prepare: async (scene) => {
      const files = ["model.json", "encoder-0.dsm", "reasoning/log.json"];
      const id = await insert(scene, "models", files, (id) => async (sql) => {
        await sql`
          insert into models (id, organization_id, job_id, dataset_id, name, status, task)
          values (${id}, ${scene.organizationId}, ${id}, ${id}, 'm', 'completed', '{}')`;
      });
      return { method: "DELETE", url: `/v1/models/${id}` };
    },
  },
  {
    name: "a schema is deleted",
    prepare: async (scene) => {
      const id = await insert(
        scene,
        "models",
        ["schema.json", "plan.json"],
        (id) => async (sql) => {
          await sql`
          insert into document_schemas (id, organization_id, model_id, job_id, skill, use_case,
                                        documents, status)
          values (${id}, ${scene.organizationId}, ${id}, ${id}, 's', 'u', 1, 'failed')`;
        },
      );
      return { method: "DELETE", url: `/v1/models/${id}` };
    },
  },
  {
    name: "a document is deleted",
    prepare: async (scene) => {
      const id = await insert(scene, "documents", ["content", "text.json"], (id) => async (sql) => {
        await sql`
          insert into documents (id, organization_id, name, hash, bytes, media_type, status)
          values (${id}, ${scene.organizationId}, 'd', ${id}, 1, 'text/plain', 'ready')`;
      });
      return { method: "DELETE", url: `/v1/documents/${id}` };
    },
  },
  {
    name: "a run is deleted",
    prepare: async (scene) => {
      const files = ["oof/trial-0.bin", "report/report.html"];
      const id = await insert(scene, "jobs", files, (id) => async (sql) => {
        await sql`
          insert into jobs (id, organization_id, kind, status, request)
          values (${id}, ${scene.organizationId}, 'training', 'failed', '{}')`;
      });
      return { method: "DELETE", url: `/v1/training_jobs/${id}` };
    },
  },
];

/** Owners with objects that have no row, and owners of whose rows no object is there. */
async function amiss({ services, organizationId }: Scene): Promise<string[]> {
  const found: string[] = [];
  for (const { folder: name, existing } of OWNER_KINDS) {
    const stored: string[] = [];
    for await (const id of services.objects.listFolders(
      `organizations/${organizationId}/${name}/`,
    )) {
      stored.push(id);
    }
    const rows = new Set(await services.db.system((sql) => existing(sql, stored)));
    found.push(...stored.filter((id) => !rows.has(id)).map((id) => `${name}/${id} has no row`));
  }
  const datasets = await services.db.systemQuery(
    (sql) => sql<{ key: string }[]>`
      select key from datasets, unnest(array[object_key, table_key]) as key where key is not null`,
  );
  for (const { key } of datasets) {
    if ((await services.objects.head(key)) === null) found.push(`${key} is missing`);
  }
  return found;
}

describe.each(["files", "S3"])("on %s", (store) => {
  let whole: Scene;
  /** The service over the same services, which is killed at a step of what is armed. */
  let cut: FastifyInstance;
  let steps = new Steps(Number.POSITIVE_INFINITY);

  beforeAll(async () => {
    const services = await openServices(
      parseConfig({
        DISTILLERY_HOME: join(folder, store),
        DISTILLERY_API_KEY: KEY,
        DISTILLERY_WORKERS: "0",
        ...(store === "S3" && { OBJECT_STORE_URL: s3.url("sweep") }),
      }),
      log,
      "server",
    );
    whole = await openScene(services);
    const armed = { take: () => steps.take() };
    ({ app: cut } = await createApp({
      ...services,
      objects: stepping(services.objects, armed),
      db: stepping(services.db, armed),
    }));
  });
  afterAll(async () => {
    await cut.close();
    await whole.app.close();
    await whole.services.close();
  });

  it.each(OPERATIONS)(
    "nothing stays behind where $name and is killed at any step",
    async (operation) => {
      const { prepare } = operation;
      const { services } = whole;
      // The steps are those of files: on S3, where each takes five times as long, a third of them, another of each.
      const isSparse = store === "S3" && !process.env["DISTILLERY_LONG"];
      const stride = isSparse ? 3 : 1;
      for (let at = OPERATIONS.indexOf(operation) % stride; ; at += stride) {
        expect(at).toBeLessThan(60);
        const request = await prepare(whole);
        const headers = { authorization: `Bearer ${KEY}`, ...request.headers };
        // The key is looked up before the steps are counted.
        await cut.inject({
          url: "/v1/organization",
          headers: { authorization: headers.authorization },
        });
        steps = new Steps(at);
        const answer = await cut.inject({ ...request, headers });
        const { killed } = steps;
        await setImmediate();
        steps = new Steps(Number.POSITIVE_INFINITY);
        await sweepObjects(services, { kinds: OWNER_KINDS, staleSeconds: 0 });
        expect(await amiss(whole), `killed at step ${at}`).toEqual([]);
        if (killed) continue;
        expect(answer.statusCode, answer.body).toBe(200);
        expect(at).toBeGreaterThan(2);
        break;
      }
    },
  );

  describe("where the store does not remove anything now", () => {
    let refusing: Services;
    let app: FastifyInstance;

    beforeAll(async () => {
      const { services } = whole;
      const deletePrefix = () => Promise.reject(new ObjectStoreUnavailableError("down"));
      const objects = new Proxy(services.objects, {
        get: (target, name) => {
          if (name === "deletePrefix") return deletePrefix;
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
      refusing = { ...services, objects };
      ({ app } = await createApp(refusing));
    });
    afterAll(() => app.close());

    it.each(OPERATIONS.filter(({ name }) => name.endsWith("deleted")))(
      "it is told that $name, and its objects are swept",
      async ({ prepare }) => {
        const request = await prepare(whole);
        const headers = { authorization: `Bearer ${KEY}`, ...request.headers };
        const answer = await app.inject({ ...request, headers });
        expect(answer.statusCode, answer.body).toBe(200);
        expect(await amiss(whole)).toHaveLength(1);
        expect(await sweepObjects(whole.services, { kinds: OWNER_KINDS })).toBe(1);
        expect(await amiss(whole)).toEqual([]);
      },
    );

    it("what a job kept is swept when the job is pruned", async () => {
      const { services, organizationId } = whole;
      const id = await insert(whole, "jobs", ["report/report.html"], (id) => async (sql) => {
        await sql`
          insert into jobs (id, organization_id, kind, status, request)
          values (${id}, ${organizationId}, 'training', 'completed', '{}')`;
      });
      await pruneJob({ services: refusing, auth: { organizationId } }, JOB_KINDS, id);
      expect(await sweepObjects(services, { kinds: OWNER_KINDS })).toBe(1);
      const key = `${ownerPrefix(organizationId, "jobs", id)}report/report.html`;
      expect(await services.objects.head(key)).toBeNull();
    });
  });

  it("what a live process is making is left alone, and what a dead one made goes", async () => {
    const { services, organizationId } = whole;
    const kind = OWNER_KINDS[0] as OwnerKind;
    const id = randomUUID();
    const prefix = ownerPrefix(organizationId, kind.folder, id);
    const hold = await ObjectHold.take(services, kind, organizationId, [id]);
    await services.objects.put(`${prefix}data`, Buffer.from("x"));
    expect(await sweepObjects(services, { kinds: OWNER_KINDS })).toBe(0);
    expect(await services.objects.head(`${prefix}data`)).not.toBeNull();
    // Taken for dead, it must not register what is gone.
    expect(await sweepObjects(services, { kinds: OWNER_KINDS, staleSeconds: 0 })).toBe(1);
    expect(await services.objects.head(`${prefix}data`)).toBeNull();
    await expect(
      services.db.forOrganization(organizationId, (sql) => hold.release(sql)),
    ).rejects.toThrow(/taken for left behind/);
    await hold.end();
  });

  it("what fails in a request is removed at once", async () => {
    const { app, services } = whole;
    const countHolds = () =>
      services.db.systemQuery((sql) => sql`select count(*) as count from object_holds`);
    const before = await countHolds();
    const answer = await app.inject({
      method: "POST",
      url: "/v1/datasets?name=bad",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "text/csv" },
      payload: "a,a\n1,2\n",
    });
    expect(answer.statusCode).toBe(422);
    expect(await amiss(whole)).toEqual([]);
    expect(await countHolds()).toEqual(before);
  });
});

it("a file that a killed process was writing goes, whatever number the process had", async () => {
  const incoming = join(folder, "files", "store", "incoming");
  const left = join(incoming, `${process.pid}-left-by-another-container`);
  const live = join(incoming, randomUUID());
  for (const path of [left, live]) await writeFile(path, "x");
  const before = new Date(Date.now() - 120_000);
  await utimes(left, before, before);
  const services = await openServices(
    parseConfig({ DISTILLERY_HOME: join(folder, "files"), DISTILLERY_WORKERS: "0" }),
    log,
    "server",
  );
  try {
    await sweepObjects(services, { kinds: OWNER_KINDS });
    const names = await readdir(incoming);
    expect(names).not.toContain(left.slice(incoming.length + 1));
    expect(names).toContain(live.slice(incoming.length + 1));
  } finally {
    await services.close();
  }
});
