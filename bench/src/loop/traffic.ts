/** Heavy and hostile requests of every kind, each made before it is measured. */

import { tableFromArrays, tableToIPC } from "apache-arrow";
import { AUTHORIZATION, type ServerProcess } from "../service.ts";

export interface Traffic {
  readonly name: string;
  /** @returns the statuses of the answers, in a few words */
  run(): Promise<string>;
}

const MIB = 1 << 20;
const JSON_TYPE = "application/json";
/** Below the limits of JSON bodies: of most operations, and of those that take rows or documents. */
const LONG_MIB = 3.9;
const LONGEST_MIB = 30;
/** Below the limit of values of most bodies. */
const MANY_VALUES = 9_900;
const NOBODY = "00000000-0000-4000-8000-000000000000";
const WORKSPACE = "/v1/workspaces/bench";
const TABLES = `${WORKSPACE}/catalogs/main/schemas/public/tables`;

/** Operations that take JSON, and a member of each. */
const BODIES: readonly (readonly [path: string, member: string, mebibytes: number])[] = [
  [`${WORKSPACE}/query`, "sql", LONG_MIB],
  ["/v1/datasets", "sql", LONG_MIB],
  ["/v1/trainer/run", "name", LONG_MIB],
  ["/v1/connectors/warehouse", "url", LONG_MIB],
  [`${TABLES}?tableId=long`, "spec", LONG_MIB],
  ["/trpc/workspaces.create", "json", LONG_MIB],
  ["/v1/documents", "text", LONGEST_MIB],
  ["/v1/agentic/documents/induce_schema", "use_case", LONGEST_MIB],
  ["/v1/agentic/documents/extract", "model_id", LONGEST_MIB],
  [`/v1/models/${NOBODY}/predict`, "instances", LONGEST_MIB],
];

export interface TrafficOptions {
  readonly server: ServerProcess;
  readonly quick: boolean;
}

export async function makeTraffic({ server, quick }: TrafficOptions): Promise<Traffic[]> {
  const ask = async (
    method: string,
    path: string,
    type: string | null,
    body: string | Uint8Array<ArrayBuffer> | null,
    accept = JSON_TYPE,
  ): Promise<Response> =>
    fetch(server.url + path, {
      method,
      headers: { ...AUTHORIZATION, accept, ...(type === null ? {} : { "content-type": type }) },
      ...(body === null ? {} : { body }),
    });
  const drained = async (asked: Promise<Response>): Promise<string> => {
    const response = await asked;
    const { byteLength } = await response.arrayBuffer();
    return `${response.status}, ${(byteLength / 1024).toFixed(0)} KiB`;
  };
  const json = async (asked: Promise<Response>): Promise<Record<string, unknown>> => {
    const response = await asked;
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const post = (path: string, value: unknown): Promise<Record<string, unknown>> =>
    json(ask("POST", path, JSON_TYPE, JSON.stringify(value)));

  await post("/v1/workspaces", { name: "workspaces/bench" });
  await post(`${WORKSPACE}/catalogs?catalogId=main`, {});
  await post(`${WORKSPACE}/catalogs/main/schemas?schemaId=public`, {});

  const traffic: Traffic[] = [
    {
      name: "nothing else",
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 2000));
        return "";
      },
    },
  ];
  const add = (name: string, run: () => Promise<string>): void => {
    traffic.push({ name, run });
  };

  for (const [path, member, mebibytes] of BODIES) {
    const bytes = Math.floor(mebibytes * MIB);
    const send = (name: string, body: string): void => {
      const sent = Buffer.from(body);
      add(`${name}: ${path}`, () => drained(ask("POST", path, JSON_TYPE, sent)));
    };
    send(`${mebibytes} MiB in one text`, `{"${member}":"${"x".repeat(bytes)}"}`);
    send(
      `${mebibytes} MiB of escapes and Chinese`,
      `{"${member}":"${"\\u00e9\u4e2d".repeat(bytes / 9)}"}`,
    );
    send(`${mebibytes} MiB in one name`, `{"${"x".repeat(bytes)}":1}`);
    const items = Array.from({ length: MANY_VALUES / 3 }, (_, index) =>
      index % 2 ? { a: null } : index,
    );
    const members = items.slice(0, 2000).map((item, index) => [`m${index}`, item]);
    send(
      "a fault in each of thousands of values",
      JSON.stringify({ [member]: items, ...Object.fromEntries(members) }),
    );
  }
  const names = Array.from({ length: MANY_VALUES / 3 }, (_, index) => `c${index}`);
  const run = (more: object): string =>
    JSON.stringify({
      dataset_id: NOBODY,
      task: { task_kind: "regression", label_column: "y" },
      ...more,
    });
  const comparison = { kind: "comparison", column: "a", op: "eq", value: 1 };
  for (const [name, body] of [
    [
      "thousands of columns to ignore",
      run({ task: { task_kind: "regression", label_column: "y", ignore_columns: names } }),
    ],
    ["thousands of tags", run({ job_tags: Object.fromEntries(names.map((each) => [each, each])) })],
    [
      "a filter of thousands",
      run({
        filter: { kind: "bool", op: "and", exprs: Array.from({ length: 1900 }, () => comparison) },
      }),
    ],
    [
      "a filter of thousands, all wrong",
      run({
        filter: {
          kind: "bool",
          op: "and",
          exprs: Array.from({ length: 1900 }, () => ({ ...comparison, op: "is", kinds: 1 })),
        },
      }),
    ],
    [
      "a space of thousands",
      run({
        hpo_space: {
          models: Array.from({ length: 1500 }, () => ({
            family: "gbdt",
            search: { a: [1, "x"] },
            fixed: {},
          })),
        },
      }),
    ],
  ] as const) {
    add(`a run with ${name}`, () => drained(ask("POST", "/v1/trainer/run", JSON_TYPE, body)));
  }
  const parameters = JSON.stringify({
    sql: "select 1",
    parameters: Array.from({ length: MANY_VALUES }, () => ({ a: 1 })),
  });
  add("a query with thousands of wrong parameters", () =>
    drained(ask("POST", `${WORKSPACE}/query`, JSON_TYPE, parameters)),
  );
  const paths = JSON.stringify({
    spec: {
      listing: {
        connector: "workspaces/bench/connectors/lake",
        tablePaths: Array.from({ length: 9_000 }, (_, index) => `s3://bucket/folder/${index}/`),
      },
    },
  });
  add("a table of thousands of paths", () =>
    drained(ask("POST", `${TABLES}?tableId=paths`, JSON_TYPE, paths)),
  );
  add("the same table, read", () => drained(ask("GET", `${TABLES}/paths`, null, null)));
  const options = JSON.stringify({
    spec: {
      listing: {
        connector: "workspaces/bench/connectors/lake",
        tablePaths: ["s3://bucket/folder/"],
        snapshot: {
          options: {
            fileType: "csv",
            formatOptions: Object.fromEntries(names.map((each) => [each, each])),
          },
        },
      },
    },
  });
  add("a table of thousands of options", () =>
    drained(ask("POST", `${TABLES}?tableId=options`, JSON_TYPE, options)),
  );

  // Wide tables.
  const columns = quick ? 2_000 : 16_000;
  const wide = [
    Array.from({ length: columns }, (_, column) => `a rather long name ${column}`).join(),
    ...Array.from({ length: 60 }, (_, row) =>
      Array.from({ length: columns }, (_, column) =>
        column % 3 ? `${row * column}` : `text ${row} of ${column}`,
      ).join(),
    ),
  ].join("\n");
  let wideId = "";
  add(`an upload of ${columns} columns`, async () => {
    const dataset = await json(ask("POST", "/v1/datasets?name=wide", "text/csv", wide));
    wideId = String(dataset["dataset_id"]);
    return "200";
  });
  add("the wide dataset, read", () => drained(ask("GET", `/v1/datasets/${wideId}`, null, null)));
  add("ten times, at once", async () => {
    const all = Array.from({ length: 10 }, () =>
      drained(ask("GET", `/v1/datasets/${wideId}`, null, null)),
    );
    return (await Promise.all(all))[0] ?? "";
  });
  add("the list of datasets", () => drained(ask("GET", "/v1/datasets", null, null)));

  const ended = async (jobId: string): Promise<string> => {
    for (;;) {
      const job = await json(ask("GET", `/v1/training_jobs/${jobId}`, null, null));
      if (job["status"] === "completed" || job["status"] === "failed")
        return `${job["status"]} ${job["error_message"] ?? ""}`;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  let wideJob = "";
  const fewer = wide
    .split("\n")
    .map((line) => line.split(",").slice(0, 1000).join())
    .join("\n");
  add("a run on a dataset of 1,000 columns", async () => {
    const dataset = await json(ask("POST", "/v1/datasets?name=fewer", "text/csv", fewer));
    const answer = await post("/v1/trainer/run", {
      dataset_id: dataset["dataset_id"],
      task: { task_kind: "regression", label_column: "a rather long name 1" },
      model_families: ["linear"],
      n_trials: 1,
      n_cv_splits: 2,
      ensemble: false,
    });
    wideJob = String(answer["job_id"]);
    return ended(wideJob);
  });
  for (const what of ["training_jobs/ID", "jobs/ID/metrics", "jobs/ID/report", "results/ID"]) {
    add(`of that run: ${what}`, () =>
      drained(ask("GET", `/v1/${what.replace("ID", wideJob)}`, null, null)),
    );
  }
  let wideModel = "";
  add("that model", async () => {
    const job = await json(ask("GET", `/v1/training_jobs/${wideJob}`, null, null));
    wideModel = String(job["model_id"]);
    return drained(ask("GET", `/v1/models/${wideModel}`, null, null));
  });
  const wideRows = JSON.stringify({
    instances: Array.from({ length: 400 }, () =>
      Object.fromEntries(
        Array.from({ length: 1000 }, (_, column) => [`a rather long name ${column}`, column]),
      ),
    ),
  });
  add("400 predictions of that model", () =>
    drained(ask("POST", `/v1/models/${wideModel}/predict`, JSON_TYPE, wideRows)),
  );
  add("400 explanations of that model", () =>
    drained(ask("POST", `/v1/models/${wideModel}/explain`, JSON_TYPE, wideRows)),
  );

  // A usual table.
  const ignoring = (): string =>
    JSON.stringify({
      dataset_id: wideId,
      task: { task_kind: "regression", label_column: "a rather long name 1" },
      ignore_columns: names.map((_, column) => `a rather long name ${column * 4}`),
      model_families: ["linear"],
      n_trials: 0,
    });
  add("a wrong run that ignores thousands of the wide dataset's columns", () =>
    drained(ask("POST", "/v1/trainer/run", JSON_TYPE, ignoring())),
  );
  const rows = quick ? 20_000 : 100_000;
  const usual = [
    [...Array.from({ length: 28 }, (_, column) => `x${column}`), "y"].join(),
    ...Array.from({ length: rows }, (_, row) =>
      [
        ...Array.from({ length: 28 }, (_, column) => `${((row * (column + 7)) % 1009) / 7}`),
        `${row % 3}`,
      ].join(),
    ),
  ].join("\n");
  let model = "";
  add(`an upload of ${rows} × 29 and a run on it`, async () => {
    const dataset = await json(ask("POST", "/v1/datasets?name=usual", "text/csv", usual));
    const answer = await post("/v1/trainer/run", {
      dataset_id: dataset["dataset_id"],
      task: { task_kind: "multiclass", label_column: "y" },
      model_families: ["gbdt", "linear"],
      n_trials: 4,
      n_cv_splits: 3,
    });
    const end = await ended(String(answer["job_id"]));
    model = String(
      (await json(ask("GET", `/v1/training_jobs/${answer["job_id"]}`, null, null)))["model_id"],
    );
    return end;
  });
  const instances = (count: number): string =>
    JSON.stringify({
      instances: Array.from({ length: count }, (_, row) =>
        Object.fromEntries(Array.from({ length: 28 }, (_, column) => [`x${column}`, row * column])),
      ),
    });
  const [ten, one] = [instances(10_000), instances(1_000)];
  add("10,000 predictions", () =>
    drained(ask("POST", `/v1/models/${model}/predict`, JSON_TYPE, ten)),
  );
  add("1,000 explanations", () =>
    drained(ask("POST", `/v1/models/${model}/explain`, JSON_TYPE, one)),
  );
  const trpc = JSON.stringify({ model_id: "", ...JSON.parse(instances(300)) });
  add("300 predictions over tRPC", () =>
    drained(
      ask(
        "POST",
        "/trpc/models.predict",
        JSON_TYPE,
        trpc.replace('"model_id":""', `"model_id":"${model}"`),
      ),
    ),
  );

  // Queries.
  const sql = (statement: string): string => JSON.stringify({ sql: statement, maxRows: 100_000 });
  for (const [name, statement] of [
    [
      "100,000 rows × 10",
      "select range as a, range * 2 as b, range::varchar as c, 'text ' || range as d, range / 7 as e, range % 5 as f, range as g, range as h, range as i, range as j from range(100000)",
    ],
    [
      "1 row of 2,000 columns",
      `select ${Array.from({ length: 2000 }, (_, column) => `${column} as c${column}`).join()}`,
    ],
    ["rows of long texts", "select repeat('x', 10000) as t from range(6000)"],
    ["one text of 30 MB", "select repeat('x', 30000000) as t"],
  ] as const) {
    add(`a query of ${name}, as JSON`, () =>
      drained(ask("POST", `${WORKSPACE}/query`, JSON_TYPE, sql(statement))),
    );
    add(`a query of ${name}, as Arrow`, () =>
      drained(
        ask(
          "POST",
          `${WORKSPACE}/query`,
          JSON_TYPE,
          sql(statement),
          "application/vnd.apache.arrow.stream",
        ),
      ),
    );
  }
  const long = `select ${Array.from({ length: 60_000 }, (_, index) => `'${index}'`).join()}`.slice(
    0,
    900_000,
  );
  add("a statement of 900 kB", () =>
    drained(
      ask("POST", `${WORKSPACE}/query`, JSON_TYPE, sql(`${long.slice(0, long.lastIndexOf(","))}`)),
    ),
  );

  // Other uploads.
  const arrow = new Uint8Array(
    tableToIPC(
      tableFromArrays({ a: Float64Array.from({ length: 1_000_000 }, (_, row) => row) }),
      "stream",
    ),
  );
  add("an upload of Arrow", () =>
    drained(ask("POST", "/v1/datasets", "application/vnd.apache.arrow.stream", arrow)),
  );
  const pages = JSON.stringify({
    name: "long.txt",
    text: "A line of a text that is long: 12,50 EUR\n".repeat(quick ? 20_000 : 200_000),
  });
  add("a long document", () => drained(ask("POST", "/v1/documents", JSON_TYPE, pages)));
  const form = new FormData();
  for (let index = 0; index < 100; index++)
    form.append(
      "file",
      new Blob([`Invoice ${index}\nTotal: ${index},00 EUR\n`], { type: "text/plain" }),
      `invoice-${index}.txt`,
    );
  const multipart = new Response(form);
  const formType = multipart.headers.get("content-type");
  const formBytes = new Uint8Array(await multipart.arrayBuffer());
  add("100 documents", () => drained(ask("POST", "/v1/documents", formType, formBytes)));
  add("the interface's document", () => drained(ask("GET", "/openapi.json", null, null)));
  return traffic;
}
