/**
 * The Open Inference Protocol: what a stock client sends (`open-inference/triton_client.py` recorded it)
 * is answered as Predict answers the same rows.
 */

import { beforeAll, describe, expect, it } from "vitest";
import recorded from "./open-inference/requests.json" with { type: "json" };
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const HEADER = "inference-header-content-length";

let server: SharedServer;
let churn: string;
let other: string;
let ages: string;

interface Tensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly parameters?: { readonly binary_data_size: number };
  readonly data?: readonly unknown[];
}

interface Answer {
  readonly model_name: string;
  readonly model_version: string;
  readonly id?: string;
  readonly outputs: readonly Tensor[];
}

interface Metadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
}

beforeAll(async () => {
  server = await SharedServer.join();
  const lines = Array.from({ length: 80 }, (_, row) => {
    const age = 18 + ((row * 37) % 60);
    const plan = row % 3 === 0 ? "basic" : "plus";
    return `${age},${plan},${(row * 7) % 50},${age + (row % 3) * 9 < 50 ? "yes" : "no"}`;
  });
  const csv = ["age,plan,tenure,churned", ...lines].join("\n");
  const dataset = await server.uploadCsv("customers", csv);
  const train = async (task: object, random_state: number) => {
    const fixed = { model_families: ["linear"], n_trials: 1, n_cv_splits: 2, random_state };
    const job = await awaitJob(
      server,
      await startRun(server, { dataset_id: dataset, task, ...fixed }),
    );
    return job.model_id;
  };
  const task = { task_kind: "binclass", label_column: "churned" };
  const regression = { task_kind: "regression", label_column: "age", ignore_columns: ["churned"] };
  [churn, other, ages] = await Promise.all([train(task, 1), train(task, 2), train(regression, 3)]);
  await server.post("/v1/serving/endpoints", {
    name: "churn",
    models: [
      { model_id: churn, traffic: 100 },
      { model_id: other, traffic: 0 },
    ],
    shadow_model_id: other,
  });
});

type Recorded = keyof typeof recorded;

/** Sends what the client sent; it names no media type. */
async function replay(name: Recorded, path = "/v2/models/churn/infer"): Promise<Response> {
  const { body, json_bytes } = recorded[name];
  return server.request("POST", path, {
    headers: json_bytes === null ? {} : { [HEADER]: String(json_bytes) },
    body: new Uint8Array(Buffer.from(body, "base64")),
  });
}

/** The answer with binary tensors read into their lists. */
async function read(response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const length = Number(response.headers.get(HEADER) ?? bytes.length);
  const text = bytes.subarray(0, length).toString();
  expect(response.status, text).toBe(200);
  const answer: Answer = JSON.parse(text);
  let at = length;
  const outputs = answer.outputs.map((tensor): Tensor => {
    const size = tensor.parameters?.binary_data_size;
    if (size === undefined) return tensor;
    const part = bytes.subarray(at, at + size);
    at += size;
    return { ...tensor, data: listOf(tensor.datatype, part) };
  });
  expect(at).toBe(bytes.length);
  return { ...answer, outputs };
}

function listOf(datatype: string, bytes: Buffer): unknown[] {
  const list: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (datatype === "FP64") {
      list.push(bytes.readDoubleLE(at));
      at += 8;
    } else if (datatype === "BOOL") list.push(bytes[at++] === 1);
    else {
      const end = at + 4 + bytes.readUInt32LE(at);
      list.push(bytes.subarray(at + 4, end).toString());
      at = end;
    }
  }
  return list;
}

interface Prediction {
  readonly label: string;
  readonly probabilities: Readonly<Record<string, number>>;
}

async function predicted(rows: readonly object[]): Promise<readonly Prediction[]> {
  const body = { instances: rows };
  const path = `/v1/models/${churn}/predict`;
  return (await server.post<{ predictions: Prediction[] }>(path, body)).predictions;
}

const output = ({ outputs }: Answer, name: string): readonly unknown[] =>
  outputs.find((tensor) => tensor.name === name)?.data ?? [];

const ROWS = [
  { age: 41, plan: "basic", tenure: 7.5 },
  { age: 20, plan: "plus", tenure: 30 },
  { age: null, plan: null, tenure: 1 },
];
const REQUESTS: readonly (readonly [Recorded, readonly object[]])[] = [
  ["binary tensors", ROWS],
  ["one tensor of the numeric columns", ROWS],
  ["some outputs as lists", ROWS],
  ["lists", ROWS.map(({ plan }) => ({ plan }))],
  ["integers", [{ age: 41 }, { age: 20 }]],
];

describe("a stock client", () => {
  it.each(REQUESTS)("is answered as Predict answers: %s", async (name, rows) => {
    const answer = await read(await replay(name));
    const expected = await predicted(rows);
    expect(answer).toMatchObject({ model_name: "churn", model_version: churn, id: name });
    expect(output(answer, "label")).toEqual(expected.map(({ label }) => label));
    expect(output(answer, "probabilities")).toEqual(
      expected.flatMap(({ probabilities }) => [probabilities["no"], probabilities["yes"]]),
    );
  });

  it("asks one of the models by its version, and a model by its id", async () => {
    for (const path of [`churn/versions/${other}`, other, `${other}/versions/${other}`]) {
      const answer = await read(await replay("binary tensors", `/v2/models/${path}/infer`));
      expect(answer.model_version).toBe(other);
    }
    for (const path of [
      `churn/versions/${ages}`,
      "churn/versions/7",
      "nowhere",
      `${other}/versions/7`,
    ]) {
      const response = await replay("binary tensors", `/v2/models/${path}/infer`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: expect.stringContaining("There is no such") });
    }
  });

  it("finds a registered name and its versions", async () => {
    await server.request("PATCH", `/v1/models/${ages}`, {
      headers: { "content-type": "application/json" },
      body: '{"name":"ages"}',
    });
    for (const path of ["ages", "ages/versions/1", "ages%401"]) {
      const metadata = await server.get<Metadata>(`/v2/models/${path}`);
      expect(metadata.versions).toEqual([ages]);
    }
    expect((await server.request("GET", "/v2/models/ages/versions/2")).status).toBe(404);
  });

  it("is counted, and its rows are compared with the shadow's", async () => {
    const metrics = "/v1/serving/endpoints/churn/metrics";
    for (;;) {
      const { models, shadows } = await server.get<{
        models: { model_id: string; rows: number }[];
        shadows: { model_id: string; rows: number; mean_difference: number }[];
      }>(metrics);
      expect(models.find(({ model_id }) => model_id === churn)?.rows).toBe(14);
      if (shadows[0]?.rows !== 17) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      expect(shadows[0].mean_difference).toBeGreaterThan(0);
      break;
    }
  });
});

describe("metadata", () => {
  it("says of the server and its models what they are", async () => {
    for (const path of ["/v2", "/v2/health/live", "/v2/health/ready"]) {
      expect((await fetch(server.baseUrl + path)).status, path).toBe(200);
    }
    expect(await server.get("/v2")).toMatchObject({ extensions: ["binary_tensor_data"] });
    expect(await server.get("/v2/models/churn/ready")).toEqual({ name: "churn", ready: true });
    expect(await server.get<Metadata>("/v2/models/churn")).toMatchObject({
      versions: [churn, other],
      inputs: [
        { name: "age", datatype: "FP64", shape: [-1] },
        { name: "plan", datatype: "BYTES", shape: [-1] },
        { name: "tenure", datatype: "FP64", shape: [-1] },
      ],
    });
  });

  it("names the outputs that answers have", async () => {
    for (const model of [churn, ages]) {
      const { outputs } = await server.get<Metadata>(`/v2/models/${model}`);
      const answer = await read(
        await server.postRaw(`/v2/models/${model}/infer`, {
          inputs: [{ name: "plan", shape: [1, 1], datatype: "BYTES", data: [["basic"]] }],
        }),
      );
      const forms = answer.outputs.map(({ name, datatype, shape }) => [
        name,
        datatype,
        shape.with(0, -1),
      ]);
      expect(outputs.map(({ name, datatype, shape }) => [name, datatype, shape])).toEqual(forms);
    }
  });
});

describe("what is wrong is 400 with what it is", () => {
  const plan = { name: "plan", shape: [1], datatype: "BYTES", data: ["basic"] };
  const CASES: readonly (readonly [string, object, string])[] = [
    ["no inputs", {}, "body.inputs"],
    ["none that a table's model takes", { inputs: [] }, "body.inputs"],
    ["a datatype", { inputs: [{ ...plan, datatype: "FP16" }] }, "body.inputs.0.datatype"],
    ["a shape", { inputs: [{ ...plan, shape: [2] }] }, "the shape has 2"],
    ["a width", { inputs: [{ ...plan, shape: [1, 3], data: ["a", "b", "c"] }] }, "[n, 2]"],
    ["two lengths", { inputs: [plan, { ...plan, name: "age", shape: [2] }] }, "this 2"],
    ["a column twice", { inputs: [plan, plan] }, "is here twice"],
    [
      "bytes that are not there",
      { inputs: [{ ...plan, parameters: { binary_data_size: 4 } }] },
      "only 0 bytes are left",
    ],
    ["a text for a number", { inputs: [plan, { ...plan, name: "age" }] }, "body.inputs.1.data.0"],
    ["an output", { inputs: [plan], outputs: [{ name: "price" }] }, "there is no price here"],
    ["a coverage", { inputs: [plan], parameters: { coverage: 2 } }, "body.parameters.coverage"],
  ];
  it.each(CASES)("%s", async (_what, body, message) => {
    const response = await server.postRaw("/v2/models/churn/infer", body);
    const { error } = await response.json();
    expect(response.status, error).toBe(400);
    expect(error).toContain(message);
  });

  it("a header, a body, a key", async () => {
    const send = (headers: Record<string, string>, body: string) =>
      server.request("POST", "/v2/models/churn/infer", { headers, body });
    for (const [headers, body] of [
      [{ [HEADER]: "100" }, "{}"],
      [{ [HEADER]: "ten" }, "{}"],
      [{}, "{"],
      [{}, '{"inputs":[]}trailing'],
    ] as const) {
      const response = await send(headers, body);
      expect(response.status, await response.text()).toBe(400);
    }
    const stranger = await fetch(`${server.baseUrl}/v2/models/churn/infer`, { method: "POST" });
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toEqual({ error: expect.any(String) });
  });
});

it("asks for serving:read of endpoints, and models:read of models", async () => {
  const { key } = await server.post<{ key: string }>("/v1/api_keys", {
    name: "caller",
    scopes: ["serving:read"],
  });
  const ask = async (path: string, token: string) =>
    (await fetch(server.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask("/v2/models/churn", key)).toBe(200);
  expect(await ask(`/v2/models/${churn}`, key)).toBe(404);
  expect(await ask(`/v2/models/${churn}`, server.key)).toBe(200);
  const { key: none } = await server.post<{ key: string }>("/v1/api_keys", {
    name: "another",
    scopes: ["datasets:read"],
  });
  expect(await ask("/v2/models/churn", none)).toBe(403);
});
