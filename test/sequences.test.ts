/** Sequences over HTTP: trained of rows in long form, read, predicted, explained; and what is wrong with them. */

import { createClient } from "@distillery/client";
import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const STEPS = 16;
const RUNS = 48;
const wave = (run: number, step: number, cycles: number): number =>
  Math.sin((2 * Math.PI * cycles * step) / STEPS + run) + (((run * 31 + step * 17) % 11) - 5) / 40;

interface Row {
  readonly run: string;
  readonly at: number;
  readonly x: number;
  readonly z: number;
  readonly machine: string;
}

/** Of fast and slow waves, by turns. */
const rowsOf = (run: number): Row[] =>
  Array.from({ length: STEPS }, (_, at) => ({
    run: `r${run}`,
    at,
    x: wave(run, at, run % 2 === 0 ? 1 : 4),
    z: ((run * 7 + at * 3) % 10) / 10,
    machine: run % 3 === 0 ? "old" : "new",
  }));
const labelOf = (run: number): string => (run % 2 === 0 ? "slow" : "fast");
const csvOf = (lines: readonly string[]): string =>
  ["run,at,x,z,machine,pace,cycles", ...lines].join("\n");
const lineOf = ({ run, at, x, z, machine }: Row, label: string): string =>
  `${run},${at},${x},${z},${machine},${label},${label === "slow" ? 1 : 4}`;
const lines = Array.from({ length: RUNS }, (_, run) =>
  rowsOf(run).map((row) => lineOf(row, labelOf(run))),
).flat();

const TASK = {
  task_kind: "sequence_binclass",
  label_column: "pace",
  sequence_column: "run",
  order_column: "at",
  ignore_columns: ["cycles"],
};
const FAST = { model_families: ["minirocket"], n_trials: 1, n_cv_splits: 2 };
/** As many features tell the waves apart, and a tenth of what they are by default to be explained. */
const FEW = { family: "minirocket", fixed: { features: 1000 } };
const FEW_ROUNDS = { family: "interval_gbdt", fixed: { rounds: 20 } };

interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

interface Labelled {
  readonly id: string;
  readonly label: string;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly set: readonly string[];
}

interface Answer<Prediction = Labelled> {
  readonly predictions: readonly Prediction[];
  readonly warnings: readonly string[];
}

let server: SharedServer;
let dataset: string;
let model: string;
let jobId: string;
let firstJob: string;

async function train(request: object, model: object = FEW): Promise<string> {
  const { model_families: _, ...fast } = FAST;
  const asked = { ...fast, hpo_space: { models: [model] }, ...request };
  const job = await awaitJob(server, await startRun(server, asked));
  expect(job.error_message).toBe("");
  jobId = job.id;
  return job.model_id;
}

beforeAll(async () => {
  server = await SharedServer.join();
  // Steps of all sequences mixed: order_column puts them in order.
  const mixed = lines.map((_, i) => lines[(i * 29) % lines.length]);
  dataset = await server.uploadCsv("waves", csvOf(mixed));
  model = await train({ dataset_id: dataset, task: TASK });
  firstJob = jobId;
});

const postJson = (path: string, body: unknown): Promise<Response> =>
  server.request("POST", path, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const predict = (instances: readonly object[], id = model): Promise<Answer> =>
  server.post<Answer>(`/v1/models/${id}/predict`, { instances });

async function faultOf(response: Promise<Response>): Promise<Fault> {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(422);
  const [fault] = (JSON.parse(text) as { detail: Fault[] }).detail;
  return fault;
}

async function faultOfRun(changed: readonly string[], more: object = {}): Promise<Fault> {
  const dataset_id = await server.uploadCsv("changed", csvOf(changed));
  return faultOf(postJson("/v1/trainer/run", { dataset_id, task: { ...TASK, ...more }, ...FAST }));
}

describe("a run", () => {
  it("shows scores, columns and report", async () => {
    const { card, classes } = await server.get<{ classes: string[]; card: { rows: number } }>(
      `/v1/models/${model}`,
    );
    expect(classes).toEqual(["fast", "slow"]);
    expect(card.rows).toBe(RUNS);
    const job = await server.get<{
      config: { task: object; dataframe: { columns: { name: string }[] } };
      result_uri: string;
    }>(`/v1/training_jobs/${jobId}`);
    expect(job.config.task).toEqual(TASK);
    expect(job.config.dataframe.columns.map(({ name }) => name).sort()).toEqual(
      expect.arrayContaining(["at", "machine", "run", "x", "z"]),
    );
    const { metrics } = await server.get<{ metrics: { scores: Record<string, number> } }>(
      `/v1/jobs/${jobId}/metrics`,
    );
    expect(Object.values(metrics.scores).length).toBeGreaterThan(0);
    expect((await fetch(job.result_uri)).status).toBe(200);
    expect([...(await downloadModel(server, model)).keys()]).toContain("model.json");
  });
});

describe("predictions", () => {
  it("are one a sequence, with its id, in the order of first sight, however rows are ordered", async () => {
    const fast = rowsOf(101);
    const slow = rowsOf(100);
    const { predictions, warnings } = await predict([...slow, ...fast]);
    expect(warnings).toEqual([]);
    expect(predictions.map(({ id, label }) => [id, label])).toEqual([
      ["r100", "slow"],
      ["r101", "fast"],
    ]);
    for (const { probabilities, set, label } of predictions) {
      expect(Object.keys(probabilities)).toEqual(["fast", "slow"]);
      expect(set).toContain(label);
    }
    const backwards = await predict([...slow, ...fast].reverse());
    expect([...backwards.predictions].reverse()).toEqual(predictions);
    const columns = ["run", "at", "x", "z", "machine"] as const;
    const data = [...slow, ...fast].map((row) => columns.map((name) => row[name]));
    const matrix = await server.post<Answer>(`/v1/models/${model}/predict`, { columns, data });
    expect(matrix).toMatchObject({ predictions });
  });

  it("are explained by channels and columns, with the id", async () => {
    const instances = [...rowsOf(100), ...rowsOf(101)];
    const { explanations } = await server.post<{
      explanations: {
        id: string;
        base_value: number;
        prediction: number;
        contributions: Record<string, number>;
      }[];
    }>(`/v1/models/${model}/explain`, { instances });
    expect(explanations.map(({ id }) => id)).toEqual(["r100", "r101"]);
    for (const { base_value, prediction, contributions } of explanations) {
      expect(Object.keys(contributions).sort()).toEqual(expect.arrayContaining(["x", "z"]));
      const sum = Object.values(contributions).reduce((a, b) => a + b, base_value);
      expect(sum).toBeCloseTo(prediction, 6);
      expect(Math.abs(contributions["x"])).toBeGreaterThan(Math.abs(contributions["z"]));
    }
  });

  it("are explained over time, channel by channel, up to the probability itself", async () => {
    const instances = rowsOf(101);
    const { explanations } = await server.post<{
      explanations: {
        id: string;
        over_time: {
          space: string;
          base_value: number;
          prediction: number;
          exact: boolean;
          segments: {
            column: string;
            start: number;
            end: number;
            contribution: number;
            error: number;
          }[];
        };
      }[];
    }>(`/v1/models/${model}/explain?segments=4`, { instances });
    expect(explanations.map(({ id }) => id)).toEqual(["r101"]);
    const { space, base_value, prediction, exact, segments } = explanations[0].over_time;
    expect({ space, exact }).toEqual({ space: "probability", exact: true });
    const [{ probabilities }] = (await predict(instances)).predictions;
    expect(prediction).toBeCloseTo(probabilities["slow"], 12);
    const sum = segments.reduce((total, { contribution }) => total + contribution, base_value);
    expect(sum).toBeCloseTo(prediction, 9);
    expect(segments.map(({ column, start, end }) => [column, start, end])).toEqual(
      ["x", "z"].flatMap((column) =>
        [0, 4, 8, 12].map((start) => [column, start, start + STEPS / 4]),
      ),
    );
    expect(segments.every(({ error }) => error === 0)).toBe(true);
    const size = (name: string): number =>
      segments.reduce(
        (total, { column, contribution }) => total + (column === name ? Math.abs(contribution) : 0),
        0,
      );
    expect(size("x")).toBeGreaterThan(size("z"));
  });

  it("are explained over time one at a time, in as many segments as are told apart", async () => {
    const two = [...rowsOf(100), ...rowsOf(101)];
    const explain = (segments: string, instances: readonly object[]): Promise<Response> =>
      postJson(`/v1/models/${model}/explain?segments=${segments}`, { instances });
    expect((await faultOf(explain("4", two))).msg).toMatch(
      /One sequence is explained over time at once; these rows are of 2\.$/,
    );
    expect((await faultOf(explain("65", rowsOf(100)))).loc).toEqual(["query", "segments"]);
    expect((await faultOf(explain("1.5", rowsOf(100)))).loc).toEqual(["query", "segments"]);
  });

  it("are explained of a sequence longer than the rows that are explained at once", async () => {
    const instances = Array.from({ length: 1_200 }, (_, at) => ({
      ...rowsOf(1)[0],
      at,
      x: at % 4,
    }));
    const { explanations } = await server.post<{ explanations: object[] }>(
      `/v1/models/${model}/explain`,
      { instances },
    );
    expect(explanations).toHaveLength(1);
  });

  it("are the same over tRPC, explained too, and a fault is at its place", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const instances = [...rowsOf(2), ...rowsOf(5)].map((row) => ({ ...row }));
    const given = { model_id: model, instances };
    const answer = await client.models.predict.mutate(given);
    expect(answer.predictions).toMatchObject([{ id: "r2" }, { id: "r5" }]);
    expect(answer).toEqual(await predict(instances));
    expect(await client.models.explain.mutate(given)).toEqual(
      await server.post(`/v1/models/${model}/explain`, { instances }),
    );
    const wrong = { model_id: model, instances: [{ ...instances[0], x: "tall" }] };
    await expect(client.models.predict.mutate(wrong)).rejects.toMatchObject({
      status: 422,
      faults: [{ loc: expect.arrayContaining(["instances"]) }],
    });
  });

  it("tell of what was not sent", async () => {
    const bare = rowsOf(100).map(({ x, machine }) => ({ x, machine }));
    const { predictions, warnings } = await predict(bare);
    expect(predictions).toHaveLength(1);
    const told = warnings.join("\n");
    expect(told).toMatch(/no "run": they are taken as the steps of one sequence/);
    expect(told).toMatch(/no "at": .*the order of the rows/);
    expect(told).toMatch(/"z" is absent/);
  });

  it("are made of one step, and of channels that are all missing", async () => {
    const [first] = rowsOf(100);
    const { predictions } = await predict([
      first,
      ...rowsOf(101).map((row) => ({ ...row, x: null, z: null })),
    ]);
    expect(predictions.map(({ id }) => id)).toEqual(["r100", "r101"]);
    for (const { probabilities } of predictions) {
      expect(probabilities["fast"] + probabilities["slow"]).toBeCloseTo(1, 9);
    }
  });

  const cases: [string, readonly object[], readonly (string | number)[], RegExp][] = [
    ["a missing id", [{ ...rowsOf(1)[0], run: null }], [0, "run"], /Row 1 has no value in "run"/],
    ["a missing place", [{ ...rowsOf(1)[0], at: null }], [0, "at"], /Row 1 has no value in "at"/],
    [
      "two steps at one place",
      [rowsOf(1)[0], rowsOf(1)[0]],
      [1, "at"],
      /The sequence "r1" has two steps at 0 of "at": rows 1 and 2/,
    ],
    [
      "an infinite place",
      [{ ...rowsOf(1)[0], at: "Infinity" }],
      [0, "at"],
      /Row 1 has an infinite value in "at"/,
    ],
    [
      "a list for a number",
      [{ ...rowsOf(1)[0], x: [1, 2] }],
      [0, "x"],
      /should be a string, a number/,
    ],
    [
      "an object for an id",
      [{ ...rowsOf(1)[0], run: {} }],
      [0, "run"],
      /should be a string, a number/,
    ],
    ["a text for a number", [{ ...rowsOf(1)[0], x: "much" }], [0, "x"], /a number.*"much"/],
  ];
  it.each(cases)("with %s are refused at the row", async (_, instances, loc, message) => {
    const fault = await faultOf(postJson(`/v1/models/${model}/predict`, { instances }));
    expect(fault.msg).toMatch(message);
    expect(fault.loc).toEqual(["body", "instances", ...loc]);
  });

  it("take the first value of a column that should not change, and say so", async () => {
    const rows = rowsOf(100).map((row) => ({ ...row, machine: row.at < 5 ? "new" : "old" }));
    const { predictions, warnings } = await predict(rows);
    expect(warnings).toEqual([
      expect.stringMatching(
        /"machine" had one value a sequence .* within the sequence "r100": new in row 1, old in row 6\. /,
      ),
    ]);
    const first = rows.map((row) => ({ ...row, machine: "new" }));
    expect((await predict(first)).predictions).toEqual(predictions);
  });

  it("answer ids of any text, and numbers that are no finite ones as missing", async () => {
    const ids = ["constructor", "e\u0301", "\u00e9", "a\nb", "y".repeat(10_000), " ", "NaN"];
    const { predictions } = await predict(
      ids.flatMap((run) => rowsOf(100).map((row) => ({ ...row, run }))),
    );
    expect(predictions.map(({ id }) => id)).toEqual(ids);
    const without = (x: unknown) => predict(rowsOf(100).map((row) => ({ ...row, x })));
    expect(await without("Infinity")).toEqual(await without(null));
    expect(await without("NaN")).toEqual(await without(null));
  });

  it("are bounded in rows, and explanations in sequences", async () => {
    const instances = Array.from({ length: 10_001 }, (_, at) => ({ run: "a", at, x: 1 }));
    const long = await faultOf(postJson(`/v1/models/${model}/predict`, { instances }));
    expect(long.loc).toEqual(["body", "instances"]);
    expect(long.msg).toMatch(/at most 10000 items, not 10001/);
    const many = instances.slice(0, 1_001).map((row, i) => ({ ...row, run: `${i}` }));
    const fault = await faultOf(postJson(`/v1/models/${model}/explain`, { instances: many }));
    expect(fault.loc).toEqual(["body", "instances"]);
    expect(fault.msg).toMatch(/1001 sequences; at most 1000/);
  });

  it("are asked for by instances, and no members of forecasts", async () => {
    const both = { instances: rowsOf(1), horizon: 3 };
    expect((await faultOf(postJson(`/v1/models/${model}/predict`, both))).loc).toEqual([
      "body",
      "horizon",
    ]);
    const fault = await faultOf(postJson(`/v1/models/${model}/predict`, { history: [] }));
    expect(fault.loc).toEqual(["body", "history"]);
    expect(fault.msg).toMatch(/forecasting/);
  });
});

describe("other kinds", () => {
  it("sequence_regression has a value and an interval a sequence", async () => {
    const task = {
      ...TASK,
      task_kind: "sequence_regression",
      label_column: "cycles",
      ignore_columns: ["pace"],
    };
    const id = await train({ dataset_id: dataset, task });
    const { predictions } = await server.post<
      Answer<{ id: string; value: number; interval: [number, number] | null }>
    >(`/v1/models/${id}/predict?coverage=0.8`, { instances: [...rowsOf(100), ...rowsOf(101)] });
    expect(predictions.map((each) => each.id)).toEqual(["r100", "r101"]);
    expect(predictions[0].value).toBeLessThan(2.5);
    expect(predictions[1].value).toBeGreaterThan(2.5);
    expect(predictions[0].interval).not.toBeNull();
  });

  it("sequence_multiclass has a probability of every class, and weighs them", async () => {
    const three = lines.map((line, i) =>
      Math.floor(i / STEPS) % 4 === 0 ? line.replace(",slow,", ",still,") : line,
    );
    const task = { ...TASK, task_kind: "sequence_multiclass" };
    const dataset_id = await server.uploadCsv("three", csvOf(three));
    const id = await train({ dataset_id, task, class_weight: "balanced", strict_folds: true });
    const { predictions } = await predict(rowsOf(101), id);
    expect(Object.keys(predictions[0].probabilities)).toEqual(["fast", "slow", "still"]);
    expect(predictions[0].label).toBe("fast");
  });
});

describe("a run beside another", () => {
  it("sweeps over metrics from another run's trials", async () => {
    const metrics = ["log_loss", "roc_auc"];
    const request = { dataset_id: dataset, task: TASK, metrics, grid_size: 2 };
    const id = await train({ ...request, warm_start_job_ids: [firstJob] });
    expect((await predict(rowsOf(101), id)).predictions[0].label).toBe("fast");
  });

  it("learns from a teacher that tells sequences apart by the same column", async () => {
    const request = { dataset_id: dataset, task: TASK, teacher_model_id: model };
    const id = await train({ ...request, distill: { augmented_rows: 60 } }, FEW_ROUNDS);
    const { predictions } = await predict([...rowsOf(100), ...rowsOf(101)], id);
    expect(predictions.map(({ label }) => label)).toEqual(["slow", "fast"]);
    const { card } = await server.get<{
      card: { fidelity: { rows: number; augmented_rows: number; agreement: number } };
    }>(`/v1/models/${id}`);
    expect(card.fidelity).toMatchObject({ rows: RUNS, augmentedRows: 60 });
    expect(card.fidelity.agreement).toBeGreaterThan(0.8);

    const other = await faultOf(
      postJson("/v1/trainer/run", {
        ...request,
        ...FAST,
        task: { ...TASK, sequence_column: "machine", order_column: null },
      }),
    );
    expect(other.loc).toEqual(["body", "teacher_model_id"]);
    expect(other.msg).toMatch(/apart by 'run', and this run by 'machine'/);
  });
});

describe("sequences that are odd", () => {
  it.each([
    ["sequence_column", { sequence_column: "rum" }],
    ["order_column", { order_column: "att" }],
  ])("a %s that is not there is refused at its place", async (member, more) => {
    const fault = await faultOf(
      postJson("/v1/trainer/run", { dataset_id: dataset, task: { ...TASK, ...more }, ...FAST }),
    );
    expect(fault.loc).toEqual(["body", "task", member]);
    expect(fault.msg).toMatch(/the dataset has no column/);
  });

  it("a label that changes within a sequence is refused with sequence and rows", async () => {
    const changed = lines.map((line, i) => (i === 20 ? line.replace("fast", "slow") : line));
    const fault = await faultOfRun(changed);
    expect(fault.loc).toEqual(["body", "task", "label_column"]);
    expect(fault.msg).toMatch(
      /"pace" changes within the sequence "r1" of "run": fast in row 17, slow in row 21/,
    );
  });

  it("steps without a sequence, without a place, or at one place are refused with their rows", async () => {
    const [first] = lines;
    const noRun = await faultOfRun([...lines, first.replace("r0,", ",")]);
    expect(noRun.loc).toEqual(["body", "task", "sequence_column"]);
    expect(noRun.msg).toMatch(/Row 769 has no value in "run"/);
    const noPlace = await faultOfRun([...lines, first.replace("r0,0", "r0,")]);
    expect(noPlace.loc).toEqual(["body", "task", "order_column"]);
    expect(noPlace.msg).toMatch(/Row 769 has no value in "at"/);
    const twice = await faultOfRun([...lines, first]);
    expect(twice.loc).toEqual(["body", "task", "order_column"]);
    expect(twice.msg).toMatch(/"r0" has two steps at 0 of "at": rows 1 and 769/);
  });

  it("a column that tells steps apart, and not sequences, is refused", async () => {
    const steps = lines.map((line, i) => line.replace(/^r\d+/, `s${i}`));
    const fault = await faultOfRun(
      steps.map((line) => line.replace(/,[-\d.e]+,[\d.]+,(old|new)/, ",a,b,$1")),
    );
    expect(fault.loc).toEqual(["body", "task", "sequence_column"]);
    expect(fault.msg).toMatch(/No column varies within the sequences of "run"/);
  });

  it("labels and weights are refused by the sequence and the file's row, pointing to kinds of sequences", async () => {
    const numbers = await faultOfRun(lines, { task_kind: "sequence_regression" });
    expect(numbers.loc).toEqual(["body", "task", "label_column"]);
    expect(numbers.msg).toMatch(
      /sequence_regression needs numbers; the sequence "r47" \(from row 753\)|sequence_regression needs numbers; the sequence "r0" \(from row 1\)/,
    );
    expect(numbers.msg).toMatch(/the task sequence_binclass or sequence_multiclass/);
    const third = lines.map((line) =>
      line.startsWith("r3,") ? line.replace(/fast/, "odd") : line,
    );
    const classes = await faultOfRun(third);
    expect(classes.msg).toMatch(/sequence_binclass needs exactly 2.*Use sequence_multiclass/);
    const alike = await faultOfRun(lines.map((line) => line.replace("fast", "slow")));
    expect(alike.msg).toMatch(/"slow" in all 48 sequences/);
    const weighed = lines.map((line) =>
      line.startsWith("r3,") ? line.replace(/,[14]$/, ",-1") : line,
    );
    const weight = await faultOfRun(weighed, { weight_column: "cycles", ignore_columns: [] });
    expect(weight.loc).toEqual(["body", "task", "weight_column"]);
    expect(weight.msg).toMatch(/"cycles" is -1 in the sequence "r3" \(from row 49\)/);
    const few = await faultOfRun(lines.slice(0, 3 * STEPS));
    expect(few.loc).toEqual(["body", "task", "label_column"]);
    expect(few.msg).toMatch(/fewer sequences than the 2 that the folds need/);
  });

  it("a column of two roles is refused at the one that it cannot have", async () => {
    for (const [more, member] of [
      [{ sequence_column: "pace" }, "sequence_column"],
      [{ order_column: "pace" }, "order_column"],
      [{ order_column: "run" }, "order_column"],
    ] as const) {
      const fault = await faultOfRun(lines, more);
      expect(fault.loc).toEqual(["body", "task", member]);
      expect(fault.msg).toMatch(/so it cannot .* as well/);
    }
  });

  it("what sequences cannot be asked is refused at its place", async () => {
    for (const [more, loc] of [
      [{ monotone_constraints: { x: 1 } }, ["model_families", 0]],
      [{ model_families: ["theta"] }, ["model_families", 0]],
      [{ class_weight: { brisk: 2 } }, ["class_weight", "brisk"]],
      [{ metrics: ["mase"] }, ["metrics", 0]],
    ] as const) {
      const request = { dataset_id: dataset, task: TASK, ...FAST, ...more };
      const fault = await faultOf(postJson("/v1/trainer/run", request));
      expect(fault.loc).toEqual(["body", ...loc]);
    }
  });

  it("one step, channels without values and a group column are served, and told of", async () => {
    const odd = [
      ...lines.map((line, i) =>
        i < STEPS ? line.replace(/^(r\d+,\d+),[^,]*,[^,]*/, "$1,,") : line,
      ),
      "single,0,0.5,0.5,new,fast,4",
    ];
    const dataset_id = await server.uploadCsv("odd", csvOf(odd));
    const id = await train({ dataset_id, task: TASK, group_column: "machine" });
    const { card } = await server.get<{ card: { warnings: string[] } }>(`/v1/models/${id}`);
    expect(card.warnings.join("\n")).toMatch(
      /1 of 49 sequences have one step only, first "single"/,
    );
  });
});
