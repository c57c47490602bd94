/** Serving endpoints over HTTP: splits, keys, shadows, rollback, what is refused, and whose they are. */

import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const ENDPOINTS = "/v1/serving/endpoints";
const ABSENT = "00000000-0000-4000-8000-000000000000";

interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly models: readonly {
    readonly model_id: string;
    readonly traffic: number;
    readonly resolved_model_id: string | null;
  }[];
  readonly shadow_model_id: string | null;
  readonly status: string;
  readonly problems: readonly { readonly model_id: string; readonly detail: string }[];
  readonly warnings: readonly string[];
  readonly revision: string;
  readonly created_at: string;
  readonly updated_at: string;
}

interface Answer {
  readonly model_id: string;
  readonly predictions: readonly unknown[];
}

interface Metrics {
  readonly models: readonly {
    readonly model_id: string | null;
    readonly requests: number;
    readonly refused: number;
    readonly rows: number;
    readonly latency_ms: { readonly p50: number } | null;
  }[];
  readonly shadows: readonly {
    readonly model_id: string;
    readonly compared: number;
    readonly failed: number;
    readonly dropped: number;
    readonly rows: number;
    readonly differing: number;
    readonly mean_difference: number | null;
  }[];
}

let server: SharedServer;
/** Two models of the same kind, one that reads a column more, and one of another kind. */
let steady: string;
let fresh: string;
let wider: string;
let numeric: string;

const COLUMNS = ["age", "plan", "tenure"];
const ROW = { age: 41, plan: "basic", tenure: 7.5 };

function customers(): string {
  const lines = Array.from({ length: 80 }, (_, row) => {
    const age = 18 + ((row * 37) % 60);
    const plan = row % 3 === 0 ? "basic" : "plus";
    return `${age},${plan},${(row * 7) % 50},${age + (row % 3) * 9 < 50 ? "yes" : "no"}`;
  });
  return [`${COLUMNS},churned`, ...lines].join("\n");
}

async function train(dataset: string, task: object, seed: number): Promise<string> {
  const id = await startRun(server, {
    dataset_id: dataset,
    task,
    model_families: ["linear"],
    n_trials: 1,
    n_cv_splits: 2,
    random_state: seed,
  });
  const job = await awaitJob(server, id);
  expect(job.error_message).toBe("");
  return job.model_id;
}

const churn = { task_kind: "binclass", label_column: "churned" };
const narrowChurn = { ...churn, ignore_columns: ["tenure"] };

beforeAll(async () => {
  server = await SharedServer.join();
  const dataset = await server.uploadCsv("customers", customers());
  [steady, fresh, wider, numeric] = await Promise.all([
    train(dataset, narrowChurn, 1),
    train(dataset, narrowChurn, 2),
    train(dataset, churn, 3),
    train(dataset, { task_kind: "regression", label_column: "age" }, 4),
  ]);
});

let names = 0;
const nextName = (): string => `endpoint-${++names}`;

const create = (body: object): Promise<Endpoint> =>
  server.post(ENDPOINTS, { name: nextName(), ...body });

const all = (model_id: string) => [{ model_id, traffic: 100 }];

const patch = (id: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  server.request("PATCH", `${ENDPOINTS}/${id}`, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function patched(id: string, body: object): Promise<Endpoint> {
  const response = await patch(id, body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

const predict = (id: string, key = ""): Promise<Answer> =>
  server.post(`${ENDPOINTS}/${id}/predict${key === "" ? "" : `?key=${key}`}`, { instances: [ROW] });

async function refusal(response: Response): Promise<{ status: number; text: string }> {
  return { status: response.status, text: await response.text() };
}

async function fault(body: object): Promise<{ loc: unknown; msg: string }> {
  const response = await server.postRaw(ENDPOINTS, { name: nextName(), ...body });
  const text = await response.text();
  expect(response.status, text).toBe(422);
  return JSON.parse(text).detail[0];
}

describe("an endpoint", () => {
  it("is created, shown by id and by name, listed, and deleted with exactly two members", async () => {
    const made = await create({ models: all(steady) });
    expect(made).toMatchObject({
      models: [{ model_id: steady, traffic: 100, resolved_model_id: steady }],
      shadow_model_id: null,
      shadow_percent: 100,
      status: "ready",
      problems: [],
      warnings: [],
      revision: "1",
    });
    expect(await server.get(`${ENDPOINTS}/${made.id}`)).toEqual(made);
    const byName = await server.request("GET", `${ENDPOINTS}/${made.name}`);
    expect(byName.headers.get("etag")).toBe('"1"');
    expect(await byName.json()).toEqual(made);
    const missing = await server.request("GET", `${ENDPOINTS}/${made.name}x`);
    expect(await missing.json()).toMatchObject({
      status: 404,
      detail: expect.stringMatching(
        new RegExp(`^There is no such serving endpoint: the closest names? .*'${made.name}'`),
      ),
    });
    const further = await create({ models: all(fresh) });
    const first = await server.get<{ endpoints: Endpoint[]; next_page_token: string }>(
      `${ENDPOINTS}?limit=1`,
    );
    expect(first.endpoints).toEqual([further]);
    const next = await server.get<{ endpoints: Endpoint[] }>(
      `${ENDPOINTS}?limit=1&page_token=${first.next_page_token}`,
    );
    expect(next.endpoints).toEqual([made]);
    const deleted = await server.request("DELETE", `${ENDPOINTS}/${made.name}`);
    expect(await deleted.json()).toEqual({ id: made.id, deleted: true });
    expect((await server.request("DELETE", `${ENDPOINTS}/${made.id}`)).status).toBe(404);
    await server.request("DELETE", `${ENDPOINTS}/${further.id}`);
  });

  it("is created once under an Idempotency-Key, and its name is taken then", async () => {
    const body = JSON.stringify({ name: nextName(), models: all(steady) });
    const headers = { "content-type": "application/json", "idempotency-key": "once" };
    const send = () => server.request("POST", ENDPOINTS, { headers, body });
    const first = await send();
    expect(first.status).toBe(200);
    expect(await (await send()).json()).toEqual(await first.json());
    expect((await server.postRaw(ENDPOINTS, JSON.parse(body))).status).toBe(409);
  });

  it("answers as its model does, and says which one it was", async () => {
    const { name } = await create({ models: all(steady) });
    for (const verb of ["predict", "explain"]) {
      const body = { instances: [ROW, { ...ROW, age: 20 }] };
      const own = await server.post(`/v1/models/${steady}/${verb}`, body);
      expect(await server.post(`${ENDPOINTS}/${name}/${verb}`, body)).toEqual(own);
    }
    const beyond = await server.request("POST", `${ENDPOINTS}/${name}/predict`, {
      headers: { "content-type": "application/json" },
      body: '{"instances":[{"age":30},{"age":1e400}]}',
    });
    expect(beyond.status).toBe(422);
    expect(await beyond.json()).toMatchObject({
      detail: [{ loc: ["body", "instances", 1, "age"], type: "finite_number" }],
    });
    const bad = await server.postRaw(`${ENDPOINTS}/${name}/predict`, { instances: [[1]] });
    expect(await refusal(bad)).toMatchObject({ status: 422 });
  });

  it("warns of columns that only some of its models read", async () => {
    const { warnings, status } = await create({
      models: [
        { model_id: steady, traffic: 50 },
        { model_id: wider, traffic: 50 },
      ],
    });
    expect(status).toBe("ready");
    expect(warnings).toEqual([
      `Model ${wider} reads the column tenure, which not all of them read.`,
    ]);
  });
});

describe("a split", () => {
  it("must sum to 100", async () => {
    const models = [
      { model_id: steady, traffic: 60 },
      { model_id: fresh, traffic: 30.5 },
    ];
    const { loc, msg } = await fault({ models });
    expect(loc).toEqual(["body", "models"]);
    expect(msg).toBe("Value error, the traffic of the models must sum to 100, not 90.5");
  });

  it("names each model once, in hundredths of a percent", async () => {
    const twice = await fault({ models: [...all(steady), { model_id: steady, traffic: 0 }] });
    expect(twice.loc).toEqual(["body", "models", 1, "model_id"]);
    const upper = await fault({
      models: [...all(steady), { model_id: steady.toUpperCase(), traffic: 0 }],
    });
    expect(upper.loc).toEqual(["body", "models", 1, "model_id"]);
    const fine = await fault({
      models: [
        { model_id: steady, traffic: 33.333 },
        { model_id: fresh, traffic: 66.667 },
      ],
    });
    expect(fine.loc).toEqual(["body", "models", 0, "traffic"]);
  });

  it("takes models that are there, completed, and of one kind", async () => {
    const missing = await fault({ models: all(ABSENT) });
    expect(missing).toMatchObject({ loc: ["body", "models", 0, "model_id"] });
    const unlike = await fault({ models: [...all(steady), { model_id: numeric, traffic: 0 }] });
    expect(unlike.loc).toEqual(["body", "models", 1, "model_id"]);
    expect(unlike.msg).toContain("its task is regression, that of the others is binclass");
    const shadow = await fault({ models: all(steady), shadow_model_id: numeric });
    expect(shadow.loc).toEqual(["body", "shadow_model_id"]);
    const { id } = await create({ models: all(steady), shadow_model_id: fresh });
    const stays = await refusal(await patch(id, { models: all(numeric) }));
    expect(stays.status).toBe(422);
    expect(stays.text).toContain("could not be compared with these");
  });

  it("keeps a key with its model, moves as few as it must, and obeys the next request", async () => {
    const { name } = await create({
      models: [
        { model_id: steady, traffic: 50 },
        { model_id: fresh, traffic: 50 },
      ],
    });
    const keys = Array.from({ length: 24 }, (_, at) => `user-${at}`);
    const ask = async () =>
      Promise.all(keys.map(async (key) => (await predict(name, key)).model_id));
    const before = await ask();
    expect(new Set(before)).toEqual(new Set([steady, fresh]));
    expect(await ask()).toEqual(before);
    const header = await server.request("POST", `${ENDPOINTS}/${name}/predict`, {
      headers: { "content-type": "application/json", "x-request-key": "user-0" },
      body: JSON.stringify({ instances: [ROW] }),
    });
    expect(await header.json()).toMatchObject({ model_id: before[0] });
    await patched(name, {
      models: [
        { model_id: fresh, traffic: 80 },
        { model_id: steady, traffic: 20 },
      ],
    });
    const after = await ask();
    for (const [at, model] of after.entries()) {
      if (before[at] === fresh) expect(model).toBe(fresh);
    }
    await patched(name, { models: all(steady) });
    expect(new Set(await ask())).toEqual(new Set([steady]));
    expect((await predict(name)).model_id).toBe(steady);
  });

  it("is rolled back, further with each time, and every one stays in the history", async () => {
    const { id } = await create({ models: all(steady) });
    const half = [
      { model_id: steady, traffic: 50 },
      { model_id: fresh, traffic: 50 },
    ];
    await patched(id, { models: half });
    await patched(id, { models: all(fresh) });
    const rollback = `${ENDPOINTS}/${id}/rollback`;
    const back = await server.post<Endpoint>(rollback);
    expect(back.models).toMatchObject(half);
    expect((await server.post<Endpoint>(rollback)).models).toMatchObject(all(steady));
    expect(await refusal(await server.postRaw(rollback, {}))).toMatchObject({ status: 409 });
    const history = `${ENDPOINTS}/${id}/history`;
    const { splits } = await server.get<{ splits: object[] }>(history);
    expect(splits).toMatchObject([
      { revision: "5", models: all(steady), restored_revision: "1" },
      { revision: "4", models: half, restored_revision: "2" },
      { revision: "3", models: all(fresh), restored_revision: null },
      { revision: "2", models: half, restored_revision: null },
      { revision: "1", models: all(steady), restored_revision: null },
    ]);
    const page = await server.get<{ splits: object[]; next_page_token: string }>(
      `${history}?limit=3`,
    );
    const rest = await server.get<{ splits: object[]; next_page_token: null }>(
      `${history}?limit=3&page_token=${page.next_page_token}`,
    );
    expect([...page.splits, ...rest.splits]).toEqual(splits);
    expect(rest.next_page_token).toBeNull();
  });
});

describe("a patch", () => {
  it("changes what it names, and nothing where nothing changes", async () => {
    const made = await create({ models: all(steady), shadow_model_id: fresh });
    expect(await patched(made.id, { models: all(steady) })).toEqual(made);
    const name = nextName();
    const renamed = await patched(made.id, { name, shadow_model_id: null });
    expect(renamed).toMatchObject({ name, shadow_model_id: null, models: made.models });
    expect(renamed.revision).toBe("2");
    expect((await server.request("GET", `${ENDPOINTS}/${made.name}`)).status).toBe(404);
    const other = await create({ models: all(steady) });
    expect((await patch(other.id, { name })).status).toBe(409);
    expect((await patch(other.id, { name: ABSENT })).status).toBe(422);
  });

  it("under If-Match is refused where others were faster", async () => {
    const { id } = await create({ models: all(steady) });
    const tag = { "if-match": '"1"' };
    const both = await Promise.all([
      patch(id, { models: all(fresh) }, tag),
      patch(id, { name: nextName() }, tag),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const rollback = await server.request("POST", `${ENDPOINTS}/${id}/rollback`, {
      headers: { "content-type": "application/json", ...tag },
      body: "{}",
    });
    expect(rollback.status).toBe(412);
  });

  it("loses nothing of another one that comes with it", async () => {
    const { id } = await create({ models: all(steady) });
    for (let round = 0; round < 4; round++) {
      const name = nextName();
      const shadow_percent = 10 + round;
      const both = await Promise.all([patch(id, { name }), patch(id, { shadow_percent })]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      expect(await server.get(`${ENDPOINTS}/${id}`)).toMatchObject({ name, shadow_percent });
    }
  });
});

describe("a model that is served", () => {
  let dataset: string;
  beforeAll(async () => {
    dataset = await server.uploadCsv("more customers", customers());
  });

  it("is not deleted, as a part of the split or as a shadow, until it is taken out", async () => {
    const model = await train(dataset, narrowChurn, 5);
    const remove = async () => refusal(await server.request("DELETE", `/v1/models/${model}`));
    const { id, name } = await create({ models: all(model) });
    const refused = await remove();
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.text).toContain(`The serving endpoint ${name} serves it`);
    await patched(id, { models: all(steady), shadow_model_id: model });
    expect(await remove()).toMatchObject({ status: 409 });
    await patched(id, { shadow_model_id: null });
    expect(await remove()).toMatchObject({ status: 200 });
    // What is gone is not brought back.
    expect((await server.postRaw(`${ENDPOINTS}/${id}/rollback`, {})).status).toBe(409);
    expect(await fault({ models: all(model) })).toMatchObject({
      loc: ["body", "models", 0, "model_id"],
    });
  });

  it("is followed by its alias, which is not deleted either", async () => {
    const [first, second] = [
      await train(dataset, narrowChurn, 6),
      await train(dataset, narrowChurn, 7),
    ];
    const send = (method: string, path: string, body: object) =>
      server.request(method, path, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    for (const model of [first, second]) {
      await send("PATCH", `/v1/models/${model}`, { name: "served" });
    }
    const alias = "/v1/registry/served/aliases/live";
    await send("PUT", alias, { model_id: first });
    const { id, name, models } = await create({ models: all("served@live") });
    expect(models).toEqual([{ model_id: "served@live", traffic: 100, resolved_model_id: first }]);
    expect((await predict(id)).model_id).toBe(first);
    const refused = await refusal(await server.request("DELETE", alias));
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(`The serving endpoint ${name} serves it`);
    await send("PUT", alias, { model_id: second });
    expect((await predict(id)).model_id).toBe(second);
    const remove = async (model: string) =>
      (await server.request("DELETE", `/v1/models/${model}?force=true`)).status;
    expect(await remove(second)).toBe(409);
    expect(await remove(first)).toBe(200);
    await patched(id, { models: all("served") });
    expect(await remove(second)).toBe(409);
    const rename = async (name: string | null) =>
      (await send("PATCH", `/v1/models/${second}`, { name })).status;
    expect([await rename(null), await rename("other")]).toEqual([409, 409]);
    await patched(id, { models: all("served@2") });
    expect(await remove(second)).toBe(409);
    expect([await rename(null), await rename("other")]).toEqual([409, 409]);
    expect((await predict(id)).model_id).toBe(second);
    await patched(id, { models: all(second) });
    expect([await rename(null), (await predict(id)).model_id]).toEqual([200, second]);
    await patched(id, { models: all(steady) });
    expect(await remove(second)).toBe(200);
  });

  it("takes many changes at once, each after the others", async () => {
    const { id } = await create({ models: all(steady) });
    const percents = Array.from({ length: 24 }, (_, at) => at + 1);
    const changes = percents.map((shadow_percent) =>
      patch(id, { models: all(shadow_percent % 2 ? fresh : steady), shadow_percent }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses).toEqual(percents.map(() => 200));
    expect(await server.get(`${ENDPOINTS}/${id}`)).toMatchObject({ revision: "25" });
  });

  it("is either served or deleted where both are asked for at once", async () => {
    const { id } = await create({ models: all(steady) });
    for (let round = 0; round < 3; round++) {
      const model = await train(dataset, narrowChurn, 10 + round);
      const [change, deletion] = await Promise.all([
        patch(id, { models: all(model) }),
        server.request("DELETE", `/v1/models/${model}`),
      ]);
      expect(["200 409", "422 200"]).toContain(`${change.status} ${deletion.status}`);
      expect(await server.get(`${ENDPOINTS}/${id}`)).toMatchObject({ status: "ready" });
      await predict(id);
    }
  });
});

async function metricsOnce(id: string, ready: (metrics: Metrics) => boolean): Promise<Metrics> {
  for (;;) {
    const metrics = await server.get<Metrics>(`${ENDPOINTS}/${id}/metrics`);
    if (ready(metrics)) return metrics;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("what an endpoint counts", () => {
  it("is requests, refusals and rows by model", async () => {
    const { id } = await create({ models: all(steady) });
    await server.post(`${ENDPOINTS}/${id}/predict`, { instances: [ROW, ROW, ROW] });
    await server.post(`${ENDPOINTS}/${id}/explain`, { instances: [ROW] });
    await server.postRaw(`${ENDPOINTS}/${id}/predict`, { instances: [{ age: "old" }] });
    const { models } = await server.get<Metrics>(`${ENDPOINTS}/${id}/metrics`);
    expect(models).toMatchObject([{ model_id: steady, requests: 3, refused: 1, rows: 4 }]);
    expect(models[0]?.latency_ms?.p50).toBeGreaterThan(0);
  });

  it("is how its shadow model compares, whose answers nobody gets", async () => {
    const { id } = await create({ models: all(steady), shadow_model_id: wider });
    const body = { instances: [ROW, { ...ROW, age: 25 }] };
    const own = await server.post(`/v1/models/${steady}/predict`, body);
    for (let request = 0; request < 3; request++) {
      expect(await server.post(`${ENDPOINTS}/${id}/predict`, body)).toEqual(own);
    }
    const { shadows } = await metricsOnce(id, (metrics) => metrics.shadows[0]?.compared === 3);
    expect(shadows).toMatchObject([{ model_id: wider, failed: 0, dropped: 0, rows: 6 }]);
    expect(shadows[0]?.mean_difference).toBeGreaterThan(0);
    // The same model agrees with itself.
    const same = await create({ models: all(steady), shadow_model_id: steady });
    await predict(same.id);
    const agreed = await metricsOnce(same.id, ({ shadows: [shadow] }) => shadow?.compared === 1);
    expect(agreed.shadows).toMatchObject([{ differing: 0, mean_difference: 0 }]);
  });
});

describe("another organization", () => {
  it("finds no endpoint, and serves no model of this one", async () => {
    const { id, name } = await create({ models: all(steady) });
    const token = server.token("rival");
    const ask = (method: string, path: string, body?: object): Promise<Response> =>
      fetch(server.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const each = async (endpoint: string) => [
      await refusal(await ask("GET", `${ENDPOINTS}/${endpoint}`)),
      await refusal(await ask("GET", `${ENDPOINTS}/${endpoint}/history`)),
      await refusal(await ask("GET", `${ENDPOINTS}/${endpoint}/metrics`)),
      await refusal(await ask("PATCH", `${ENDPOINTS}/${endpoint}`, { name: "mine" })),
      await refusal(await ask("POST", `${ENDPOINTS}/${endpoint}/rollback`, {})),
      await refusal(await ask("POST", `${ENDPOINTS}/${endpoint}/predict`, { instances: [ROW] })),
      await refusal(await ask("POST", `${ENDPOINTS}/${endpoint}/explain`, { instances: [ROW] })),
      await refusal(await ask("DELETE", `${ENDPOINTS}/${endpoint}`)),
    ];
    const missing = await each(ABSENT);
    expect(new Set(missing.map(({ status }) => status))).toEqual(new Set([404]));
    expect(await each(id)).toEqual(missing);
    expect(await each(name)).toEqual(missing);
    const faultOf = async (model: string) => {
      const response = await ask("POST", ENDPOINTS, { name, models: all(model) });
      return (await refusal(response)).text.replaceAll(model, "");
    };
    expect(await faultOf(steady)).toBe(await faultOf(ABSENT));
    const listed = await ask("GET", ENDPOINTS);
    expect(await listed.json()).toEqual({ endpoints: [], next_page_token: null });
  });
});

it("asks for the scope serving:read to predict, and for serving:write to change", async () => {
  const { id } = await create({ models: all(steady) });
  const { key } = await server.post<{ key: string }>("/v1/api_keys", {
    name: "caller",
    scopes: ["serving:read"],
  });
  const ask = async (method: string, path: string, body: object) =>
    fetch(`${server.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await ask("POST", `${ENDPOINTS}/${id}/predict`, { instances: [ROW] })).status).toBe(200);
  expect((await ask("PATCH", `${ENDPOINTS}/${id}`, { shadow_percent: 1 })).status).toBe(403);
  expect((await ask("POST", `/v1/models/${steady}/predict`, { instances: [ROW] })).status).toBe(
    403,
  );
});
