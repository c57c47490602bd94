/** Models of many runs side by side, and what they and their datasets say of each other. */

import { beforeAll, describe, expect, it } from "vitest";
import { type Json, Organization } from "./support/catalog.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

interface Entry extends Json {
  readonly rank: number;
  readonly model_id: string;
  readonly score: number | null;
  readonly scores: Readonly<Record<string, number>>;
}
interface Board extends Json {
  readonly metric: string | null;
  readonly models: readonly Entry[];
  readonly groups: readonly { readonly group: string; readonly models: number }[];
  readonly next_page_token: string | null;
}

const NOBODY = "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60";
const lines = (seed: number) =>
  `a,b,y\n${Array.from({ length: 80 }, (_, row) => `${row},${(row * seed) % 7},${row * 2 + ((row * 31) % 11)}\n`).join("")}`;

let server: SharedServer;
let mine: Organization;
let other: Organization;
/** Of the same bytes; and of others. */
let [first, twin, unlike] = ["", "", ""];
/** On the first two datasets, and with a filter. */
let models: string[] = [];
let filtered = "";

async function train(dataset_id: string, more: object = {}): Promise<string> {
  const jobId = await startRun(server, {
    dataset_id,
    n_trials: 1,
    n_cv_splits: 2,
    metrics: ["rmse", "r2"],
    model_families: ["linear"],
    task: { task_kind: "regression", label_column: "y" },
    ...more,
  });
  const job = await awaitJob(server, jobId);
  expect(job.error_message).toBe("");
  return job.model_id;
}

const boardOf = async (query: string, who = mine): Promise<Board> =>
  (await who.ok("GET", `/v1/leaderboard${query}`)).body as Board;

beforeAll(async () => {
  server = await SharedServer.join();
  mine = new Organization(server);
  other = new Organization(server, server.token("strangers"));
  [first, twin, unlike] = await Promise.all([
    server.uploadCsv("first", lines(3)),
    server.uploadCsv("twin", lines(3)),
    server.uploadCsv("unlike", lines(5)),
  ]);
  models = await Promise.all([
    train(first),
    train(first, { model_families: ["random_forest"] }),
    train(twin, { task: { task_kind: "regression", label_column: "y", ignore_columns: ["a"] } }),
  ]);
  filtered = await train(first, { filter: { column: "a", op: "ge", value: 5 } });
  await train(unlike);
});

describe("one model against another", () => {
  const compared = (model: string, against: string, query = "") =>
    mine.ok("GET", `/v1/models/${model}/comparison?against=${against}${query}`);
  const scoresOf = async (model: string): Promise<Readonly<Record<string, number>>> => {
    const { body } = await mine.ok("GET", `/v1/models/${model}`);
    return (body["card"] as { scores: Record<string, number> }).scores;
  };

  it("is told by the rows that both held out, in pairs", async () => {
    const [linear = "", forest = ""] = models;
    const { body } = await compared(forest, linear);
    expect(body).toMatchObject({
      ...{ model_id: forest, against: linear, rows: 80, model_rows: 80, against_rows: 80 },
      same_folds: true,
      bootstrap: { resamples: 500, rows_each: 80 },
    });
    const [rmse] = body["metrics"] as Json[];
    const [own, other] = [await scoresOf(forest), await scoresOf(linear)];
    expect(rmse).toMatchObject({ metric: "rmse", direction: "minimize" });
    expect(rmse?.["score"]).toBeCloseTo(own["rmse"] ?? 0, 10);
    expect(rmse?.["against_score"]).toBeCloseTo(other["rmse"] ?? 0, 10);
    expect(rmse?.["difference"]).toBeCloseTo((own["rmse"] ?? 0) - (other["rmse"] ?? 0), 10);
    // Lines are what a linear model is for.
    expect(rmse?.["better_share"]).toBe(0);
    const [low] = (rmse?.["interval"] ?? []) as number[];
    expect(low).toBeGreaterThan(0);
    const mae = (await compared(forest, linear, "&metrics=mae")).body["metrics"] as Json[];
    expect(mae[0]).toMatchObject({ metric: "mae" });
  });

  it("takes the rows that a filter left to both, and other datasets of the same bytes", async () => {
    const { body } = await compared(filtered, models[0] ?? "");
    expect(body).toMatchObject({ rows: 75, model_rows: 75, against_rows: 80, same_folds: false });
    expect((await compared(models[2] ?? "", models[0] ?? "")).body["rows"]).toBe(80);
  });

  it("says why there is nothing to compare", async () => {
    const [linear = ""] = models;
    const { groups } = await boardOf(`?dataset_id=${unlike}`);
    expect(groups).toHaveLength(1);
    const [stranger] = (await boardOf(`?dataset_id=${unlike}`)).models;
    const at = (against: unknown) => `/v1/models/${linear}/comparison?against=${against}`;
    const faults = await mine.faults("GET", at(stranger?.model_id));
    expect(faults).toEqual([["query.against", "value_error"]]);
    expect(await mine.faults("GET", `${at(models[1])}&metrics=auc`)).toEqual([
      ["query.metrics.0", "value_error"],
    ]);
    expect((await mine.problem("GET", at(NOBODY)))[0]).toBe(404);
    expect((await other.problem("GET", at(models[1])))[0]).toBe(404);
  });
});

describe("the leaderboard", () => {
  it("lists groups where several are asked for, and ranks none of them together", async () => {
    const board = await boardOf("");
    expect(board).toMatchObject({ metric: null, direction: null, models: [] });
    expect(board.groups.map((group) => group.models)).toEqual([1, 1, 3]);
    const onFirst = await boardOf(`?dataset_id=${first}`);
    expect(onFirst.groups).toMatchObject([
      { models: 1, apart: { filter: { column: "a", op: "ge" } } },
      { models: 3, dataset: { rows: 80 }, metrics: ["rmse", "r2"] },
    ]);
    const paged: string[] = [];
    for (let token: string | null = ""; token !== null; ) {
      const page: Board = await boardOf(`?limit=1${token && `&page_token=${token}`}`);
      paged.push(...page.groups.map(({ group }) => group));
      token = page.next_page_token;
    }
    expect(paged).toEqual(board.groups.map(({ group }) => group));
  });

  it("ranks the models of one group by a held-out score", async () => {
    const { groups } = await boardOf("");
    const group = groups.find((each) => each.models === 3)?.group;
    const board = await boardOf(`?group=${group}`);
    expect(board).toMatchObject({ metric: "rmse", direction: "minimize", next_page_token: null });
    expect(board.models.map(({ model_id }) => model_id).sort()).toEqual([...models].sort());
    expect(board.models.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    for (const { model_id, score, ...entry } of board.models) {
      const { body } = await mine.ok("GET", `/v1/models/${model_id}`);
      const card = body["card"] as { scores: { rmse: number }; splitter: string };
      expect(score).toBe(card.scores.rmse);
      const files = body["files"] as { bytes: number }[];
      expect(entry).toMatchObject({
        scores: card.scores,
        validation: card.splitter,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        families: [model_id === models[1] ? "random_forest" : "linear"],
        fit_seconds: expect.any(Number),
        predict_seconds: expect.any(Number),
      });
      expect(entry["fit_seconds"]).toBeGreaterThan(0);
      expect(entry["predict_seconds"]).toBeGreaterThan(0);
    }
    const scores = board.models.map(({ score }) => score ?? Number.NaN);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    // Without the column that tells most, it is the worst.
    expect(board.models[2]?.model_id).toBe(models[2]);
    const byR2 = await boardOf(`?group=${group}&metric=R2`);
    expect(byR2).toMatchObject({ metric: "r2", direction: "maximize" });
    const r2 = byR2.models.map(({ score }) => score ?? Number.NaN);
    expect(r2).toEqual([...r2].sort((a, b) => b - a));
    // Nobody scored by it: in the order of their runs, without a score.
    const unscored = await boardOf(`?group=${group}&metric=mae`);
    expect(unscored.models.map(({ score }) => score)).toEqual([null, null, null]);
    const pages: Entry[] = [];
    for (let token: string | null = ""; token !== null; ) {
      const page: Board = await boardOf(
        `?group=${group}&limit=2${token && `&page_token=${token}`}`,
      );
      pages.push(...page.models);
      token = page.next_page_token;
    }
    expect(pages).toEqual(board.models);
  });

  it("is filtered by name, tag, label and kind of task", async () => {
    const [one = "", two = ""] = models;
    const named = { name: "ranked", tags: { stage: "new", team: "a" } };
    await mine.ok("PATCH", `/v1/models/${one}`, { body: named });
    await mine.ok("PATCH", `/v1/models/${two}`, {
      body: { name: "ranked", tags: { stage: "old" } },
    });
    await mine.ok("PUT", "/v1/registry/ranked/aliases/best", { body: { version: 1 } });
    const idsOf = async (query: string) =>
      (await boardOf(query)).models.map(({ model_id }) => model_id).sort();
    expect(await idsOf("?name=ranked")).toEqual([one, two].sort());
    expect(await idsOf("?tag=stage:new")).toEqual([one]);
    expect(await idsOf("?tag=stage&tag=team:a")).toEqual([one]);
    expect(await idsOf("?tag=stage:none")).toEqual([]);
    expect(await idsOf(`?dataset_id=${unlike}&label_column=y&task_kind=regression`)).toHaveLength(
      1,
    );
    expect(await idsOf(`?dataset_id=${unlike}&label_column=z`)).toEqual([]);
    expect(await idsOf(`?dataset_id=${unlike}&task_kind=binclass`)).toEqual([]);
    expect(
      (await boardOf("?name=ranked")).models.find(({ model_id }) => model_id === one),
    ).toMatchObject({ name: "ranked", version: 1, aliases: ["ranked@best"], tags: named.tags });
    await mine.ok("DELETE", "/v1/registry/ranked/aliases/best");
  });

  it("refuses what it does not know, and shows nothing of others", async () => {
    for (const [query, fault] of [
      ["?metric=rsme", ["query.metric", "value_error"]],
      [`?dataset_id=${unlike}&metric=rsme`, ["query.metric", "value_error"]],
      ["?group=x", ["query.group", "string_pattern_mismatch"]],
      ["?hash=x", ["query.hash", "string_pattern_mismatch"]],
      ["?dataset_id=x", ["query.dataset_id", "uuid_parsing"]],
      ["?colour=red", ["query.colour", "extra_forbidden"]],
    ] as const) {
      expect(await mine.faults("GET", `/v1/leaderboard${query}`), query).toEqual([fault]);
    }
    const { groups } = await boardOf("");
    for (const query of ["", `?dataset_id=${first}`, `?group=${groups[0]?.group}`]) {
      expect(await boardOf(query, other)).toMatchObject({ models: [], groups: [] });
    }
    const nobody = new Organization(server, "dk_wrong");
    expect((await nobody.problem("GET", "/v1/leaderboard"))[0]).toBe(401);
  });
});

interface Key {
  readonly kind: string;
  readonly id: string;
}
interface Lineage {
  readonly root: Key;
  readonly nodes: readonly (Key & { readonly name: string; readonly deleted: boolean })[];
  readonly edges: readonly { readonly from: Key; readonly to: Key; readonly relation: string }[];
  readonly truncated: boolean;
}

describe("lineage", () => {
  const lineageOf = async (path: string): Promise<Lineage> =>
    (await mine.ok("GET", `/v1/${path}/lineage`)).body as unknown as Lineage;
  const written = ({ nodes, edges }: Lineage): string[] =>
    edges.map(({ from, to, relation }) => {
      const nameOf = ({ kind, id }: Key) =>
        `${kind} ${nodes.find((each) => each.kind === kind && each.id === id)?.name}`;
      return `${nameOf(from)} ${relation} ${nameOf(to)}`;
    });

  it("goes from a query over a teacher to its students and the endpoint that serves them", async () => {
    const made = await mine.ok("POST", "/v1/datasets", {
      body: {
        name: "counted",
        sql: "SELECT range AS a, range % 5 AS b, range * 2 + range % 3 AS y FROM range(60)",
      },
    });
    const dataset = String(made.body["dataset_id"]);
    const teacher = await train(dataset, { name: "teaching", register_as: "teacher" });
    const student = await train(dataset, { name: "learning", teacher_model_id: "teacher" });
    await mine.ok("PUT", "/v1/registry/teacher/aliases/live", { body: { model_id: teacher } });
    await mine.ok("POST", "/v1/serving/endpoints", {
      body: { name: "front", models: [{ model_id: "teacher@live", traffic: 100 }] },
    });
    const of = await lineageOf("models/teacher@live");
    expect(of.root).toEqual({ kind: "model", id: teacher });
    expect(of.nodes.find(({ id }) => id === teacher)).toMatchObject({
      name: "teacher",
      state: "completed",
      facts: { version: 1, aliases: ["teacher@live"] },
    });
    const chain = [
      "query counted made dataset counted",
      "dataset counted read job teaching",
      "job teaching made model teacher",
    ];
    const onward = [
      "model teacher taught job learning",
      "job learning made model learning",
      "model teacher serves endpoint front",
    ];
    expect(written(of).sort()).toEqual([...chain, ...onward].sort());
    const read = "dataset counted read job learning";
    expect(written(await lineageOf(`datasets/${dataset}`)).sort()).toEqual(
      [...chain, ...onward, read].sort(),
    );
    // What else came of an ancestor is no lineage of it.
    expect(written(await lineageOf(`models/${student}`)).sort()).toEqual(
      [...chain, ...onward.slice(0, 2), read].sort(),
    );

    // What is deleted is left out, or shown as it was.
    const { body } = await mine.ok("GET", `/v1/models/${student}`);
    await mine.ok("DELETE", `/v1/training_jobs/${body["job_id"]}`);
    await mine.ok("DELETE", `/v1/datasets/${dataset}?force=true`);
    const after = await lineageOf(`models/${student}`);
    expect(written(after)).toEqual(["dataset counted taught model learning"]);
    expect(after.nodes.find(({ kind }) => kind === "dataset")).toMatchObject({
      id: dataset,
      deleted: true,
      facts: { rows: 60, deleted_at: expect.any(String) },
    });
    await mine.ok("DELETE", "/v1/serving/endpoints/front");
  });

  it("goes from documents to their schema, by the id that callers know", async () => {
    await mine.ok("POST", "/v1/agentic/documents/induce_schema", {
      body: {
        ...{ skill: "general", use_case: "predict the total", model_id: "slips" },
        documents: [
          { name: "one.txt", text: "Invoice 1\nTotal: 3.50" },
          { name: "two.txt", text: "Invoice 2\nTotal: 4.50" },
        ],
      },
    });
    const of = await lineageOf("models/slips");
    expect(of.root).toEqual({ kind: "document_schema", id: "slips" });
    expect(written(of).sort()).toEqual([
      "document one.txt read job ",
      "document two.txt read job ",
      "job  made document_schema slips",
    ]);
  });

  it("is of uploads too, and of nobody else", async () => {
    const of = await lineageOf(`datasets/${unlike}`);
    expect(written(of)).toContain("upload unlike registered dataset unlike");
    expect(of.truncated).toBe(false);
    for (const path of [`models/${models[0]}`, `datasets/${unlike}`]) {
      expect((await other.problem("GET", `/v1/${path}/lineage`))[0]).toBe(404);
    }
    for (const path of [`models/${NOBODY}`, `datasets/${NOBODY}`]) {
      expect((await mine.problem("GET", `/v1/${path}/lineage`))[0]).toBe(404);
    }
  });
});

describe("a dataset that models learned from", () => {
  it("is deleted by force alone, and they say what it was", async () => {
    const path = `/v1/datasets/${first}`;
    const [status, detail] = await mine.problem("DELETE", path);
    expect(status).toBe(409);
    expect(detail).toMatch(
      /^3 models were trained on this dataset: .*ranked@2.* send force=true\.$/,
    );
    const before = (await mine.ok("GET", `/v1/models/${filtered}`)).body["dataset"];
    expect(before).toMatchObject({ dataset_id: first, name: "first", rows: 80, deleted_at: null });
    expect((await other.problem("DELETE", `${path}?force=true`))[0]).toBe(404);
    await mine.ok("DELETE", `${path}?force=true`);
    expect((await mine.problem("GET", path))[0]).toBe(404);
    const after = (await mine.ok("GET", `/v1/models/${filtered}`)).body["dataset"];
    expect(after).toEqual({ ...(before as object), deleted_at: expect.any(String) });
    const predicted = await mine.ok("POST", `/v1/models/${filtered}/predict`, {
      body: { instances: [{ a: 3, b: 1 }] },
    });
    expect(predicted.body["model_id"]).toBe(filtered);
    // Its models are still ranked by what they learned from.
    expect((await boardOf(`?dataset_id=${first}`)).groups).toHaveLength(2);
    expect(await mine.faults("DELETE", `/v1/datasets/${twin}?force=maybe`)).toHaveLength(1);
    expect((await mine.problem("DELETE", `/v1/datasets/${NOBODY}?force=true`))[0]).toBe(404);
  });

  it("is deleted at once when its models are", async () => {
    await mine.ok("DELETE", `/v1/models/${models[2]}`);
    await mine.ok("DELETE", `/v1/datasets/${twin}`);
  });
});
