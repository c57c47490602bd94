/** What bad input gets: a clear error that names the place, and nothing lost or half written. */

import { request as httpRequest } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { fixture } from "./support/server.ts";
import { SharedServer } from "./support/shared-server.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
});

interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

async function faultsOf(response: Response): Promise<Fault[]> {
  const body: { detail: Fault[] } = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(422);
  return body.detail;
}

const upload = (type: string, body: BodyInit): Promise<Response> =>
  server.request("POST", "/v1/datasets?name=bad", { headers: { "content-type": type }, body });

async function datasetCount(): Promise<number> {
  const { datasets } = await server.get<{ datasets: unknown[] }>("/v1/datasets");
  return datasets.length;
}

describe("uploads", () => {
  const files: [string, string, string | Uint8Array<ArrayBuffer>, RegExp][] = [
    ["an empty file", "text/csv", "", /empty/i],
    ["a header without rows", "text/csv", "a,b\n", /no rows|without rows/i],
    ["ragged rows", "text/csv", "a,b\n1,2\n3\n", /row 2/i],
    ["a column named twice", "text/csv", "a,a\n1,2\n", /"a"/],
    ["garbage as Parquet", "application/vnd.apache.parquet", "PAR1 not really", /parquet/i],
    ["garbage as Arrow", "application/vnd.apache.arrow.stream", "not arrow", /arrow/i],
    ["broken ndjson", "application/x-ndjson", '{"a":1}\n{"a":\n', /row 2|line 2/i],
  ];
  it.each(files)("%s is refused and leaves no dataset", async (_, type, body, message) => {
    const before = await datasetCount();
    const [fault] = await faultsOf(await upload(type, body));
    expect(fault.loc[0]).toBe("body");
    expect(fault.msg).toMatch(message);
    expect(await datasetCount()).toBe(before);
  });

  it.each([
    ["text/csv", "a\n1\n1\n1\n12345678901234567890\n1e400\n", /whose last digits/],
    ["text/csv", "a\n1\n1\n1\n1e400\n", /beyond what a double holds/],
    ["application/x-ndjson", '{"a":1}\n{"a":1}\n{"a":1e400}\n', /beyond what a double holds/],
  ])("numbers that no double holds are told of, and kept: %s %j", async (type, body, message) => {
    const response = await upload(type, body);
    const { dataset_id, warnings }: { dataset_id: string; warnings: string[] } =
      await response.json();
    expect(warnings).toEqual([expect.stringMatching(message)]);
    const rows = await server.get<unknown>(`/v1/datasets/${dataset_id}/rows`);
    expect(JSON.stringify(rows)).toContain('"1e400"');
  });

  it("an old encoding is read as it is declared, or as its words are, and told", async () => {
    // "город", "Москва", "Тверь", "Псков" and "Сочи" in KOI8-R.
    const bytes = Buffer.from(
      "c7cfd2cfc42c620aedcfd3cbd7c12c310af4d7c5d2d82c320af0d3cbcfd72c330af3cfdec92c340a",
      "hex",
    );
    const send = (query: string, type: string) =>
      server.request("POST", `/v1/datasets?name=old${query}`, {
        headers: { "content-type": type },
        body: bytes,
      });
    const found = await (await send("", "text/csv; charset=utf-8")).json();
    expect(found).toMatchObject({
      source: { encoding: "koi8-r" },
      columns: [{ name: "город" }, {}],
    });
    expect(found.warnings[0]).toContain("it was read as koi8-r, by its letters");
    const declared = [
      await send("&encoding=cp1251", "text/csv"),
      await send("", "text/csv; charset=windows-1251"),
    ];
    for (const response of declared) {
      expect(await response.json()).toMatchObject({
        source: { encoding: "windows-1251" },
        columns: [{ name: "ЗПТПД" }, {}],
        warnings: [],
      });
    }
    const form = new FormData();
    form.append("file", new Blob([bytes], { type: "text/csv" }), "old.csv");
    form.append("encoding", "koi8-u");
    const sent = await server.request("POST", "/v1/datasets", { body: form });
    expect(await sent.json()).toMatchObject({ source: { encoding: "koi8-u" } });
    const [unknown] = await faultsOf(await send("&encoding=ebcdic", "text/csv"));
    expect(unknown).toMatchObject({
      loc: ["query", "encoding"],
      msg: expect.stringContaining('"ebcdic" is no encoding that is known'),
    });
    const [binary] = await faultsOf(
      await send("&encoding=koi8-r", "application/vnd.apache.parquet"),
    );
    expect(binary?.msg).toBe(
      "Value error, only delimited text has an encoding, and this is parquet",
    );
  });

  it("a kind that the values are not of names the row and the value", async () => {
    const kinds = encodeURIComponent('{"a":"numeric"}');
    const response = await server.request("POST", `/v1/datasets?kinds=${kinds}`, {
      headers: { "content-type": "text/csv" },
      body: "a,b\n1,2\nx,4\n",
    });
    const [fault] = await faultsOf(response);
    expect(fault.ctx).toMatchObject({ column: "a", row: 2 });
    expect(fault.msg).toContain("x");
  });

  it("an unknown media type is 415 and says what is taken", async () => {
    const response = await upload("application/pdf", "x");
    expect(response.status).toBe(415);
    expect(JSON.stringify(await response.json())).toContain("text/csv");
  });

  it("a multipart body without a file names the part", async () => {
    const form = new FormData();
    form.append("name", "x");
    const response = await server.request("POST", "/v1/datasets", { body: form });
    expect(await faultsOf(response)).toMatchObject([{ loc: ["body", "file"], type: "missing" }]);
  });

  it("a multipart body with a field that nothing reads names it", async () => {
    for (const isBefore of [true, false]) {
      const form = new FormData();
      if (isBefore) form.append("kind", "csv");
      form.append("file", new Blob(["a,b\n1,2\n"], { type: "text/csv" }), "a.csv");
      if (!isBefore) form.append("kind", "csv");
      const response = await server.request("POST", "/v1/datasets", { body: form });
      expect(await faultsOf(response)).toMatchObject([
        { loc: ["body", "kind"], msg: expect.stringContaining("only name and kinds") },
      ]);
    }
  });

  it("a file that is cut off in the middle leaves no dataset", async () => {
    const before = await datasetCount();
    await new Promise<void>((resolve, reject) => {
      const url = new URL("/v1/datasets?name=cut", server.baseUrl);
      const request = httpRequest(url, {
        method: "POST",
        headers: {
          authorization: "Bearer test_key_0123456789abcdef",
          "content-type": "text/csv",
          "content-length": "1000000",
          // The service asks for the body once it is about to read it.
          expect: "100-continue",
        },
      });
      request.on("error", () => resolve());
      request.on("response", () => reject(new Error("answered before the body was there")));
      request.on("continue", () => request.write("a,b\n1,2\n", () => request.destroy()));
      request.on("close", () => resolve());
    });
    // What is read behind it was begun behind it: the one that was cut off has come to its end.
    await server.uploadCsv("whole", "a,b\n1,2\n");
    expect(await datasetCount()).toBe(before + 1);
  });
});

const QUANTILES = { task_kind: "quantile_regression", label_column: "class" };

describe("trainer runs", () => {
  let cars: string;
  let small: string;
  beforeAll(async () => {
    cars = await server.uploadCsv("cars", await fixture("car_evaluation/data.csv"));
    const rows = Array.from({ length: 60 }, (_, i) =>
      [i, i % 7, i < 58 ? "a" : "b", "same", i % 2 === 0 ? "" : i].join(","),
    );
    small = await server.uploadCsv("small", ["x,y,rare,constant,holes", ...rows].join("\n"));
  });

  const run = (body: object): Promise<Response> => server.postRaw("/v1/trainer/run", body);
  const onCars = (more: object) => ({
    dataset_id: cars,
    task: { task_kind: "multiclass", label_column: "class" },
    n_trials: 1,
    ...more,
  });
  const onSmall = (task: object, more: object = {}) => ({
    dataset_id: small,
    task,
    n_trials: 1,
    ...more,
  });

  it("a label column that is not there lists those that are", async () => {
    const [fault] = await faultsOf(
      await run(onCars({ task: { task_kind: "multiclass", label_column: "klass" } })),
    );
    expect(fault.loc).toEqual(["body", "task", "label_column"]);
    expect(fault.msg).toContain("class");
  });

  const label = ["task", "label_column"];
  const labels: [string, object, RegExp, string[], object?][] = [
    [
      "a constant label",
      { task_kind: "binclass", label_column: "constant" },
      /constant|one value|one class/i,
      label,
    ],
    [
      "a text label for regression",
      { task_kind: "regression", label_column: "rare" },
      /rare/,
      label,
    ],
    ["seven classes for binclass", { task_kind: "binclass", label_column: "y" }, /7/, label],
    [
      "missing labels",
      { task_kind: "regression", label_column: "holes" },
      /30/,
      label,
      { missing_labels: "error" },
    ],
    [
      "a class with fewer rows than folds",
      { task_kind: "binclass", label_column: "rare" },
      /"b" \(2 rows\)/,
      ["n_cv_splits"],
      { rare_classes: "error" },
    ],
    [
      "a class too rare to leave out",
      { task_kind: "binclass", label_column: "rare" },
      /"b" \(2\).*no classes to tell apart/,
      label,
    ],
    [
      "missing weights beside the task",
      { task_kind: "regression", label_column: "x" },
      /"holes" is missing in 30 of 60/,
      ["weight_column"],
      { weight_column: "holes" },
    ],
    [
      "missing weights",
      { task_kind: "regression", label_column: "x", weight_column: "holes" },
      /holes/,
      ["task", "weight_column"],
    ],
  ];
  it.each(labels)(
    "%s is told with counts, at its place",
    async (_, task, message, loc, more = {}) => {
      const [fault] = await faultsOf(await run(onSmall(task, more)));
      expect(fault.msg).toMatch(message);
      expect(fault.loc).toEqual(["body", ...loc]);
    },
  );

  it("a cell that keeps a column from its role is told with its row, and what is read", async () => {
    const rows = Array.from({ length: 30 }, (_, i) =>
      [i, i === 7 ? "heavy" : i + 1, `${(i % 28) + 1}-mai-2022`].join(","),
    );
    const odd = await server.uploadCsv("odd", ["x,price,day", ...rows].join("\n"));
    const faultOf = async (more: object) => {
      const task = { task_kind: "regression", label_column: "x" };
      const [fault] = await faultsOf(await run({ dataset_id: odd, task, n_trials: 1, ...more }));
      return fault;
    };
    expect(await faultOf({ weight_column: "price" })).toMatchObject({
      loc: ["body", "weight_column"],
      msg: expect.stringMatching(/"price" must hold numbers, but row 8 holds "heavy". 1 of 30/),
      ctx: { column: "price", row: 8 },
    });
    expect(await faultOf({ time_column: "day" })).toMatchObject({
      loc: ["body", "time_column"],
      msg: expect.stringMatching(/row 1 holds "1-mai-2022".*write its values as 2011-01-31/),
    });
    const forecast = {
      task_kind: "forecasting",
      label_column: "x",
      time_column: "day",
      horizon: 2,
    };
    expect(await faultOf({ task: forecast })).toMatchObject({
      loc: ["body", "task", "time_column"],
      msg: expect.stringMatching(/row 1 holds "1-mai-2022"/),
    });
    expect(await faultOf({ monotone_constraints: { price: 1 } })).toMatchObject({
      loc: ["body", "monotone_constraints", "price"],
      msg: expect.stringMatching(/it is categorical: row 8 holds "heavy"/),
    });
  });

  it("a label that a metric cannot score is refused with its row, whichever metric it is", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => `${i % 7},${i === 9 ? -3 : i}`);
    const lows = await server.uploadCsv("lows", ["x,y", ...rows].join("\n"));
    for (const metrics of [["rmsle"], ["rmse", "rmsle"]]) {
      const task = { task_kind: "regression", label_column: "y" };
      const response = await run({ dataset_id: lows, task, metrics, n_trials: 1 });
      expect(await faultsOf(response)).toMatchObject([
        {
          loc: ["body", "task", "label_column"],
          msg: expect.stringMatching(/"y" is -3 in row 10, and rmsle needs labels above -1/),
          ctx: { column: "y", row: 10 },
        },
      ]);
    }
  });

  it("warnings of a run name members as requests have them", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `${i},${i === 3 ? "" : i % 2}`);
    const dataset_id = await server.uploadCsv("gaps", ["x,y", ...rows].join("\n"));
    const task = { task_kind: "binclass", label_column: "y" };
    const search = { n_trials: 1, n_cv_splits: null, model_families: ["linear"], ensemble: false };
    const { model_id } = await awaitJob(
      server,
      await startRun(server, { dataset_id, task, ...search }),
    );
    const { card } = await server.get<{ card: { warnings: string[] } }>(`/v1/models/${model_id}`);
    expect(card.warnings).toContainEqual(
      expect.stringMatching(/missing in 1 of 40 rows; .* With `missing_labels` "error"/),
    );
    const response = await run(
      onSmall({ task_kind: "binclass", label_column: "rare" }, { rare_classes: "error" }),
    );
    expect((await faultsOf(response))[0].msg).toMatch(/let `rare_classes` be "drop"/);
  });

  const filters: [string, object, (string | number)[]][] = [
    ["a text for a number", { column: "x", op: "gt", value: "many" }, ["value"]],
    ["a text among numbers", { column: "x", op: "in", value: [1, 2, "many"] }, ["value", 2]],
    ["a column that is not there", { column: "z", op: "is_null" }, ["column"]],
    [
      "an integer that no number is",
      { column: "x", op: "ge", value: "9007199254740993" },
      ["value"],
    ],
  ];
  it.each(filters)("a filter with %s is shown there", async (_, comparison, loc) => {
    const filter = {
      kind: "bool",
      op: "and",
      exprs: [
        { kind: "comparison", column: "y", op: "lt", value: 9 },
        { kind: "comparison", ...comparison },
      ],
    };
    const [fault] = await faultsOf(
      await run(onSmall({ task_kind: "regression", label_column: "y" }, { filter })),
    );
    expect(fault.loc).toEqual(["body", "filter", "exprs", 1, ...loc]);
  });

  it("an integer of a filter is taken digit by digit", async () => {
    const body = JSON.stringify(
      onSmall(
        { task_kind: "regression", label_column: "y" },
        { filter: { column: "x", op: "in", value: [1, "INTEGER"] } },
      ),
    ).replace('"INTEGER"', "9007199254740993");
    const response = await server.request("POST", "/v1/trainer/run", {
      headers: { "content-type": "application/json" },
      body,
    });
    const [fault] = await faultsOf(response);
    expect(fault.loc).toEqual(["body", "filter", "value", 1]);
    expect(fault.msg).toContain("9007199254740993, which a 64-bit float");
  });

  it("ignoring all columns is refused", async () => {
    const response = await run(
      onSmall({
        task_kind: "regression",
        label_column: "x",
        ignore_columns: ["y", "rare", "constant", "holes"],
      }),
    );
    expect((await faultsOf(response))[0].msg).toMatch(/no column is left/i);
  });

  it("a filter that leaves too few rows says how many", async () => {
    const filter = { kind: "comparison", column: "x", op: "lt", value: 5 };
    const [fault] = await faultsOf(
      await run(onSmall({ task_kind: "regression", label_column: "y" }, { filter })),
    );
    expect(fault.loc).toEqual(["body", "filter"]);
    expect(fault.msg).toContain("5 of 60");
  });

  const members: [string, object, (string | number)[], RegExp][] = [
    ["an unknown metric", { metrics: ["log_loss", "auk"] }, ["metrics", 1], /log_loss/],
    ["a metric named twice", { metrics: ["log_loss", "MLogLoss"] }, ["metrics", 1], /twice/],
    ["a metric of another task", { metrics: ["rmse"] }, ["metrics", 0], /log_loss/],
    ["an unknown family", { model_families: ["prophet"] }, ["model_families", 0], /gbdt/],
    ["a family named twice", { model_families: ["gbdt", "GBM"] }, ["model_families", 1], /twice/],
    ["a library", { model_families: ["LightGBM"] }, ["model_families", 0], /use 'gbdt'/],
    [
      "a library in a space",
      { hpo_space: { models: [{ family: "xgboost" }] } },
      ["hpo_space", "models", 0, "family"],
      /use 'gbdt'/,
    ],
    [
      "a filter over a column that is not there",
      { filter: { kind: "not", expr: { kind: "comparison", column: "door", op: "eq", value: 2 } } },
      ["filter", "expr", "column"],
      /doors/,
    ],
    ["a family to come", { model_families: ["tabm"] }, ["model_families", 0], /not available yet/],
    ["no trials", { n_trials: 0 }, ["n_trials"], /greater than or equal to 1/],
    ["a text for a number", { n_trials: "3" }, ["n_trials"], /integer/],
    ["a misspelt member", { n_trails: 3 }, ["n_trails"], /not permitted; the closest: "n_trials"/],
    ["a misspelt share", { coverag: 0.8 }, ["coverag"], /the closest: "coverage"/],
    [
      "a misspelt role",
      { task: { task_kind: "multiclass", label_column: "class", weight_colum: "doors" } },
      ["task", "weight_colum"],
      /the closest: "weight_column"/,
    ],
    ["a sweep of one metric", { grid_size: 4 }, ["grid_size"], /at least 2/],
    [
      "a sweep of one metric named twice",
      { grid_size: 4, metrics: ["log_loss", "log_loss"] },
      ["metrics", 1],
      /twice/,
    ],
    ["a grid of no size", { grid_size: 0 }, ["grid_size"], /greater than 0/],
    ["a grid between whole numbers", { grid_size: 2.5 }, ["grid_size"], /whole number/],
    [
      "two teachers",
      { teacher_model_id: NOBODY, teacher_predict_url: "https://teacher.example.com/" },
      ["teacher_predict_url"],
      /not both/,
    ],
    [
      "a teacher that is no URL",
      { teacher_predict_url: "teacher" },
      ["teacher_predict_url"],
      /https/,
    ],
    [
      "a teacher's password in its URL",
      { teacher_predict_url: "https://me:secret@teacher.example.com/" },
      ["teacher_predict_url"],
      /teacher_headers/,
    ],
    ["headers for nobody", { teacher_headers: { a: "b" } }, ["teacher_headers"], /not given/],
    [
      "a header that breaks out of its line",
      { teacher_predict_url: "https://t.example.com/", teacher_headers: { a: "b\r\nc: d" } },
      ["teacher_headers", "a"],
      /match/,
    ],
    [
      "a header of the connection",
      { teacher_predict_url: "https://t.example.com/", teacher_headers: { Host: "x" } },
      ["teacher_headers", "Host"],
      /set by the service/,
    ],
    [
      "levels of quantiles that do not rise",
      { task: { ...QUANTILES, quantiles: [0.5, 0.1] } },
      ["task", "quantiles"],
      /ascending and distinct/,
    ],
    [
      "a level that is no share",
      { task: { ...QUANTILES, quantiles: [0, 0.5] } },
      ["task", "quantiles", 0],
      /greater than 0/,
    ],
    [
      "levels for another kind",
      { task: { task_kind: "multiclass", label_column: "class", quantiles: [0.5] } },
      ["task", "quantiles"],
      /only 'quantile_regression' and 'forecasting' have it, not 'multiclass'/,
    ],
    [
      "quantiles from a teacher",
      { task: QUANTILES, teacher_model_id: "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60" },
      ["teacher_model_id"],
      /quantile_regression cannot be learned from a teacher/,
    ],
    [
      "class weights of quantiles",
      { task: QUANTILES, class_weight: "balanced" },
      ["class_weight"],
      /no classes to weight/,
    ],
    [
      "a metric of another kind",
      { task: QUANTILES, metrics: ["rmse"] },
      ["metrics", 0],
      /pinball, coverage_error/,
    ],
    [
      "the label as weights",
      { task: { task_kind: "multiclass", label_column: "class", weight_column: "class" } },
      ["task", "weight_column"],
      /"class" is the label, so it cannot weigh the rows as well/,
    ],
    ["the label as times", { time_column: "class" }, ["time_column"], /is the label/],
    [
      "an ignored label",
      { ignore_columns: ["doors", "class"] },
      ["ignore_columns", 1],
      /is the la/,
    ],
    ["lessons without a teacher", { distill: {} }, ["distill"], /no teacher/],
    [
      "weights of no class",
      { class_weight: { vgood: 2, best: 1 } },
      ["class_weight", "best"],
      /vgood/,
    ],
    ["a negative weight", { class_weight: { vgood: -1 } }, ["class_weight", "vgood"], /0/],
    ["another word for weights", { class_weight: "even" }, ["class_weight"], /balanced/],
    [
      "an illegal parameter",
      { hpo_space: { models: [{ family: "gbdt", fixed: { learning_rate: -1 } }] } },
      ["hpo_space", "models", 0, "fixed", "learning_rate"],
      /-1/,
    ],
  ];
  it.each(members)("%s is shown where it is", async (_, more, loc, message) => {
    const [fault] = await faultsOf(await run(onCars(more)));
    expect(fault.loc).toEqual(["body", ...loc]);
    expect(fault.msg).toMatch(message);
    expect(JSON.stringify(fault)).not.toContain("secret");
  });

  it.each([
    {},
    { class_weight: "balanced" },
    { teacher_model_id: "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60" },
  ])("a task kind that is none names those there are, beside %j", async (more) => {
    const task = { task_kind: "clustering", label_column: "class", quantiles: [0.5] };
    const response = await run(onCars({ task, ...more }));
    const [fault] = await faultsOf(response);
    expect(fault.loc).toEqual(["body", "task", "task_kind"]);
    expect(fault.msg).toMatch(/'clustering' is not a task kind.*'regression'/);
  });

  it.each([
    [{ task_kind: "forecasting", label_column: "x", time_column: "t" }, "horizon"],
    [{ task_kind: "forecasting", label_column: "x", horizon: 3 }, "time_column"],
    [{ task_kind: "sequence_regression", label_column: "x" }, "sequence_column"],
  ])("%j lacks what its kind needs", async (task, member) => {
    const [fault] = await faultsOf(await run(onCars({ task })));
    expect(fault.loc).toEqual(["body", "task", member]);
    expect(fault.msg).toMatch(/needs it/);
  });

  it("a family that cannot minimise a kind's loss is told which can", async () => {
    const task = { task_kind: "quantile_regression", label_column: "x" };
    const [fault] = await faultsOf(await run(onSmall(task, { model_families: ["random_forest"] })));
    expect(fault.loc).toEqual(["body", "model_families", 0]);
    expect(fault.msg).toMatch(
      /does not support quantile_regression; these do: gbdt, oblivious, linear/,
    );
  });

  it("a dataset that is not there is 404", async () => {
    const response = await run({
      ...onCars({}),
      dataset_id: "00000000-0000-4000-8000-000000000000",
    });
    expect(response.status).toBe(404);
  });
});
