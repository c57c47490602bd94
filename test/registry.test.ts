/** Names with versions, aliases, tags and notes, and models that are asked for by them. */

import { beforeAll, describe, expect, it } from "vitest";
import { type Json, Organization } from "./support/catalog.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const NOBODY = "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60";
const CSV = `a,b,y\n${Array.from({ length: 60 }, (_, row) => `${row},${row % 5},${row * 2 + (row % 5)}\n`).join("")}`;
const ROWS = { instances: [{ a: 3, b: 1 }] };

interface Model extends Json {
  readonly id: string;
  readonly name: string;
  readonly version: number | null;
  readonly aliases: readonly string[];
}

let server: SharedServer;
let mine: Organization;
let other: Organization;
let datasetId: string;
/** Completed models, no two of which a test shares with another unless it says so. */
const spare: string[] = [];

async function train(more: object = {}): Promise<string> {
  const jobId = await startRun(server, {
    dataset_id: datasetId,
    name: "a run",
    n_trials: 1,
    n_cv_splits: null,
    model_families: ["linear"],
    ensemble: false,
    task: { task_kind: "regression", label_column: "y" },
    ...more,
  });
  const job = await awaitJob(server, jobId);
  expect(job.error_message).toBe("");
  return job.model_id;
}

const take = async (): Promise<string> => spare.pop() ?? train();
const patch = (id: string, body: object) => mine.ask("PATCH", `/v1/models/${id}`, { body });

async function named(id: string, name: string): Promise<Model> {
  const { body } = await mine.ok("PATCH", `/v1/models/${id}`, { body: { name } });
  return body as Model;
}

const aliasPath = (name: string, alias: string) => `/v1/registry/${name}/aliases/${alias}`;
const point = (name: string, alias: string, body: object) =>
  mine.ask("PUT", aliasPath(name, alias), { body });

beforeAll(async () => {
  server = await SharedServer.join();
  mine = new Organization(server);
  other = new Organization(server, server.token("strangers"));
  datasetId = await server.uploadCsv("lines", CSV);
  spare.push(...(await Promise.all(Array.from({ length: 6 }, () => train()))));
});

it("models are listed by name and by tags", async () => {
  const [listed, tagged] = [await take(), await take()];
  await named(listed, "listed");
  expect((await patch(tagged, { tags: { team: "pricing", stage: "dev" } })).status).toBe(200);
  const found = async (query: string): Promise<string[]> => {
    const models = (await mine.ok("GET", `/v1/models?${query}`)).body["models"] as Model[];
    return models.map(({ id }) => id);
  };
  expect(await found("name=listed")).toEqual([listed]);
  expect(await found("name=liste")).toEqual([]);
  const unnamed = await found("name=a+run");
  expect(unnamed).toContain(tagged);
  expect(unnamed).not.toContain(listed);
  expect(await found("tag=team")).toEqual([tagged]);
  expect(await found("tag=team:pricing&tag=stage:dev")).toEqual([tagged]);
  expect(await found("tag=team:pricing&tag=stage:live")).toEqual([]);
  expect(await found("tag=team&type=document_schema")).toEqual([]);
  expect(await found("tag=team&name=listed")).toEqual([]);
  const page = (await mine.ok("GET", "/v1/models?limit=1&name=a+run")).body;
  const other = `/v1/models?limit=1&name=listed&page_token=${page["next_page_token"]}`;
  expect(await mine.faults("GET", other)).toHaveLength(1);
  await mine.ok("DELETE", `/v1/models/${listed}`);
  spare.push(tagged);
});

it("changes by an alias are in the audit log by the model's own id", async () => {
  const id = await take();
  await named(id, "audited");
  expect((await point("audited", "best", { version: 1 })).status).toBe(200);
  const newest = async () => {
    const { audit_events } = (await mine.ok("GET", "/v1/audit_events?limit=1")).body;
    return (audit_events as readonly Json[])[0];
  };
  for (const [reference, body, status] of [
    ["audited@best", { notes: "by alias" }, 200],
    ["audited", { notes: "by name" }, 200],
    ["audited@1", { name: "no name at all" }, 422],
    ["audited@nobody", { notes: "" }, 404],
  ] as const) {
    expect((await patch(reference, body)).status).toBe(status);
    expect(await newest()).toMatchObject({
      ...{ operation: "models_patch", resource_type: "models", status },
      resource_id: status === 200 ? id : reference,
      path: `/v1/models/${encodeURIComponent(reference)}`,
    });
  }
  const refused = await mine.ask("DELETE", "/v1/models/audited@best");
  expect(refused.status).toBe(422);
  expect(await newest()).toMatchObject({ operation: "models_delete", resource_id: id });
  const response = await server.request("POST", "/trpc/models.patch", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model_id: "audited@best", notes: "over /trpc" }),
  });
  expect(response.status).toBe(200);
  expect(await newest()).toMatchObject({ operation: "models_patch", resource_id: id });
  await mine.ok("DELETE", `/v1/models/${id}?force=true`);
});

describe("names and versions", () => {
  it("a model that is given a name is its next version, and is found by it", async () => {
    const [first, second] = [await take(), await take()];
    const before = (await mine.ok("GET", `/v1/models/${first}`)).body;
    expect(before).toMatchObject({
      name: "a run",
      version: null,
      tags: {},
      notes: "",
      aliases: [],
    });
    expect(await named(first, "churn")).toMatchObject({ id: first, name: "churn", version: 1 });
    expect(await named(second, "churn")).toMatchObject({ id: second, version: 2 });
    // Its own name changes nothing.
    expect(await named(first, "churn")).toMatchObject({ version: 1 });
    for (const [reference, id] of [
      ["churn", second],
      ["churn@latest", second],
      ["churn@1", first],
      ["churn%402", second],
      [first.toUpperCase(), first],
    ] as const) {
      const path = `/v1/models/${reference}`;
      expect((await mine.ok("GET", path)).body, reference).toMatchObject({ id });
      expect((await mine.ok("GET", `${path}/status`)).body).toEqual({
        model_id: id,
        status: "completed",
      });
      expect((await mine.ok("GET", `${path}/download`)).body["id"]).toBe(id);
      for (const verb of ["predict", "explain"]) {
        const { body } = await mine.ok("POST", `${path}/${verb}`, { body: ROWS });
        expect(body["model_id"], `${verb} ${reference}`).toBe(id);
      }
    }
    const { body } = await mine.ok("GET", "/v1/registry/churn");
    expect(body).toMatchObject({
      name: "churn",
      latest_version: 2,
      latest_model_id: second,
      next_page_token: null,
      versions: [
        { id: second, version: 2 },
        { id: first, version: 1 },
      ],
    });
    const page = (await mine.ok("GET", "/v1/registry/churn?limit=1")).body;
    expect(page["versions"]).toMatchObject([{ version: 2 }]);
    const rest = `/v1/registry/churn?limit=1&page_token=${page["next_page_token"]}`;
    expect((await mine.ok("GET", rest)).body["versions"]).toMatchObject([{ version: 1 }]);

    // A name that is taken away leaves the number behind.
    const unnamed = (await mine.ok("PATCH", `/v1/models/churn@2`, { body: { name: null } })).body;
    expect(unnamed).toMatchObject({ id: second, name: "a run", version: null });
    expect((await mine.ok("GET", "/v1/models/churn")).body["id"]).toBe(first);
    expect((await mine.problem("GET", "/v1/models/churn@2"))[0]).toBe(404);
    expect(await named(second, "churn")).toMatchObject({ version: 3 });
    await mine.ok("DELETE", `/v1/models/${second}`);
    spare.push(first);
    await patch(first, { name: null });
    expect((await mine.problem("GET", "/v1/registry/churn"))[0]).toBe(404);
    expect(await named(first, "churn")).toMatchObject({ version: 4 });
    await patch(first, { name: null });
  });

  it("two that are named at once get numbers of their own", async () => {
    const models = [await take(), await take(), await take()];
    const answers = await Promise.all(models.map((id) => named(id, "raced")));
    expect(answers.map(({ version }) => version).sort()).toEqual([1, 2, 3]);
    const again = await Promise.all(Array.from({ length: 5 }, () => named(models[0]!, "once")));
    expect(new Set(again.map(({ version }) => version))).toEqual(new Set([1]));
    await Promise.all(models.map((id) => patch(id, { name: null })));
    spare.push(...models);
  });

  it("a run registers its result when it is completed, and one that fails takes no number", async () => {
    const first = await train({ register_as: "fares" });
    const failing = await startRun(server, {
      dataset_id: datasetId,
      register_as: "fares",
      n_trials: 10_000,
      time_budget_s: 600,
      task: { task_kind: "regression", label_column: "y" },
    });
    await server.post(`/v1/training_jobs/${failing}/cancel`);
    await awaitJob(server, failing);
    const second = await train({ register_as: "fares" });
    const { body } = await mine.ok("GET", "/v1/registry/fares");
    expect(body["versions"]).toMatchObject([
      { id: second, version: 2, name: "fares" },
      { id: first, version: 1 },
    ]);
    const student = await train({ teacher_model_id: "fares@1", register_as: null });
    const { job_id } = (await mine.ok("GET", `/v1/models/${student}`)).body;
    const job = (await mine.ok("GET", `/v1/training_jobs/${job_id}`)).body;
    expect(job["config"]).toMatchObject({ teacher: { model_id: first } });
  });

  it("tags and notes are merged, and null takes away", async () => {
    const id = await take();
    const change = async (body: object) =>
      (await mine.ok("PATCH", `/v1/models/${id}`, { body })).body;
    expect(await change({ tags: { team: "a", stage: "new" }, notes: "first" })).toMatchObject({
      tags: { team: "a", stage: "new" },
      notes: "first",
    });
    expect(await change({ tags: { stage: null, team: "b" } })).toMatchObject({
      tags: { team: "b" },
      notes: "first",
    });
    expect(await change({ tags: { constructor: "y" } })).toMatchObject({
      tags: { constructor: "y", team: "b" },
    });
    expect(await change({ tags: null, notes: null })).toMatchObject({ tags: {}, notes: "" });
    expect(await change({})).toMatchObject({ tags: {} });
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, key) => [`k${key}`, "v"]));
    const asked = (body: object) => mine.faults("PATCH", `/v1/models/${id}`, { body });
    expect(await asked({ tags: many })).toEqual([["body.tags", "value_error"]]);
    expect(await asked({ tags: { a: 1 } })).toEqual([["body.tags.a", "string_type"]]);
    expect(await asked({ name: NOBODY })).toEqual([["body.name", "value_error"]]);
    expect(await asked({ name: "a@b" })).toEqual([["body.name", "string_pattern_mismatch"]]);
    expect(await asked({ nme: "a" })).toEqual([["body.nme", "extra_forbidden"]]);
    spare.push(id);
  });

  it("names come in pages, in the order of their bytes", async () => {
    const id = await take();
    for (const name of ["list-b", "list-a", "list-B"]) await named(id, name);
    const last = await take();
    await named(last, "list-a");
    const first = (await mine.ok("GET", "/v1/registry?limit=1")).body;
    const seen = [...(first["names"] as Json[])];
    for (let token = first["next_page_token"]; token !== null; ) {
      const { body } = await mine.ok("GET", `/v1/registry?limit=1&page_token=${token}`);
      seen.push(...(body["names"] as Json[]));
      token = body["next_page_token"];
    }
    const names = seen.map(({ name }) => String(name));
    expect(names).toEqual([...names].sort());
    // Those that have no version are no longer there.
    expect(names.filter((name) => name.startsWith("list-"))).toEqual(["list-B", "list-a"]);
    expect(await mine.faults("GET", "/v1/registry?limit=0")).toHaveLength(1);
    await Promise.all([id, last].map((model) => patch(model, { name: null })));
    spare.push(id, last);
  });
});

describe("aliases", () => {
  it("point to a model, a version or another alias, and are moved and rolled back at once", async () => {
    const [one, two] = [await take(), await take()];
    await named(one, "flow");
    await named(two, "flow");
    const created = await mine.ok("POST", "/v1/api_keys", {
      body: { name: "mover", scopes: ["*"] },
    });
    const byKey = new Organization(server, String(created.body["key"]));
    const set = await byKey.ok("PUT", aliasPath("flow", "champion"), { body: { version: 1 } });
    expect(set.body).toMatchObject({
      name: "flow",
      alias: "champion",
      target: one,
      model_id: one,
      history: [{ target: one, moved_by: { kind: "api_key" } }],
    });
    expect((await point("flow", "live", { model_id: "flow@champion" })).body).toMatchObject({
      target: "flow@champion",
      model_id: one,
    });
    await point("flow", "champion", { model_id: "flow@2" });
    for (const reference of ["flow@champion", "flow@live", "flow%40live"]) {
      const { body } = await mine.ok("POST", `/v1/models/${reference}/predict`, { body: ROWS });
      expect(body["model_id"]).toBe(two);
    }
    expect((await mine.ok("GET", `/v1/models/${two}`)).body["aliases"]).toEqual([
      "flow@champion",
      "flow@live",
    ]);
    const { models } = (await mine.ok("GET", "/v1/models")).body as { models: Model[] };
    expect(models.find(({ id }) => id === two)?.aliases).toEqual(["flow@champion", "flow@live"]);
    // To where it is: no move.
    await point("flow", "champion", { model_id: two });
    const rollback = () => mine.ok("POST", `${aliasPath("flow", "champion")}/rollback`);
    expect((await rollback()).body["model_id"]).toBe(one);
    expect((await rollback()).body["model_id"]).toBe(two);
    const { body } = await mine.ok("GET", aliasPath("flow", "champion"));
    const moves = body["history"] as { target: string }[];
    expect(moves.map(({ target }) => target)).toEqual([two, one, two, one]);
    expect((await mine.problem("POST", `${aliasPath("flow", "live")}/rollback`))[0]).toBe(409);
    expect((await mine.ok("GET", "/v1/registry/flow")).body["aliases"]).toEqual([
      { alias: "champion", model_id: two },
      { alias: "live", model_id: two },
    ]);

    // What is followed stays, and so does the model.
    expect(await mine.problem("DELETE", aliasPath("flow", "champion"))).toEqual([
      409,
      "The alias flow@live points to flow@champion; move or delete it first.",
    ]);
    expect(await mine.problem("DELETE", `/v1/models/${two}`)).toEqual([
      409,
      "The aliases flow@champion and flow@live point to this model; move or delete them first, or send force=true.",
    ]);
    await mine.ok("DELETE", `/v1/models/${two}?force=true`);
    expect((await mine.problem("GET", "/v1/models/flow@live"))[0]).toBe(404);
    expect((await mine.problem("GET", aliasPath("flow", "live")))[0]).toBe(404);
    // Made again, it remembers.
    await point("flow", "champion", { version: 1 });
    const again = (await mine.ok("GET", aliasPath("flow", "champion"))).body["history"] as Json[];
    expect(again.map(({ target }) => target)).toEqual([one, null, two, one, two, one]);
    expect(await mine.problem("POST", `${aliasPath("flow", "champion")}/rollback`)).toEqual([
      409,
      `The alias flow@champion cannot go back: there is no trained model ${two}.`,
    ]);
    expect((await mine.ok("DELETE", aliasPath("flow", "champion"))).body).toEqual({
      id: "flow@champion",
      deleted: true,
    });
    await patch(one, { name: null });
    spare.push(one);
  });

  it("never lead in a circle, and never to what is not there", async () => {
    const id = await take();
    await named(id, "ring");
    await point("ring", "a", { version: 1 });
    await point("ring", "b", { model_id: "ring@a" });
    await point("ring", "c", { model_id: "ring@b" });
    const circle = await point("ring", "a", { model_id: "ring@c" });
    expect(circle).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body", "model_id"],
            msg: expect.stringContaining("ring@a → ring@c → ring@b → ring@a"),
          },
        ],
      },
    });
    const faults = (body: object, alias = "z") =>
      mine.faults("PUT", aliasPath("ring", alias), { body });
    for (const model_id of [
      "ring@z",
      "ring@none",
      "ring@9",
      "nothing@a",
      NOBODY,
      // A name alone would move by itself.
      "ring",
      "ring@latest",
    ]) {
      expect(await faults({ model_id }), model_id).toEqual([["body.model_id", "value_error"]]);
    }
    expect(await faults({ version: 9 })).toEqual([["body.version", "value_error"]]);
    expect(await faults({})).toEqual([["body.model_id", "value_error"]]);
    expect(await faults({ version: 1, model_id: id })).toEqual([["body.version", "value_error"]]);
    expect(await faults({ version: 1 }, "latest")).toEqual([["path.alias", "value_error"]]);
    expect(await faults({ version: 1 }, "v3")).toEqual([["path.alias", "value_error"]]);
    expect(await faults({ version: 1 }, "3")).toEqual([["path.alias", "string_pattern_mismatch"]]);
    expect((await point("nothing", "a", { model_id: id })).status).toBe(404);
    expect((await mine.problem("GET", aliasPath("ring", "z")))[0]).toBe(404);
    // Two that would close a circle at once: one of them gives way.
    await point("ring", "x", { version: 1 });
    await point("ring", "y", { version: 1 });
    const both = await Promise.all([
      point("ring", "x", { model_id: "ring@y" }),
      point("ring", "y", { model_id: "ring@x" }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    await mine.ok("DELETE", `/v1/models/${id}?force=true`);
  });

  it("an alias that is moved while its model is deleted leads to a model, or the move is refused", async () => {
    for (let round = 0; round < 6; round++) {
      const [from, to] = [await take(), await take()];
      const version = (await named(from, "moving")).version;
      await point("moving", "at", { version });
      const [moved, deleted] = await Promise.all([
        point("moving", "at", { model_id: to }),
        mine.ask("DELETE", `/v1/models/${to}`),
      ]);
      expect(["200 409", "422 200"]).toContain(`${moved.status} ${deleted.status}`);
      const at = (await mine.ok("GET", "/v1/models/moving@at")).body["id"];
      expect(at).toBe(moved.status === 200 ? to : from);
      await mine.ok("DELETE", aliasPath("moving", "at"));
      await patch(from, { name: null });
      spare.push(from);
      if (deleted.status !== 200) spare.push(to);
    }
  });
});

describe("what is refused", () => {
  it("deleting by anything but an id", async () => {
    const id = await take();
    await named(id, "kept");
    await point("kept", "safe", { version: 1 });
    for (const reference of ["kept", "kept@1", "kept@safe", "kept%40safe"]) {
      const path = `/v1/models/${reference}`;
      expect(await mine.faults("DELETE", path), path).toEqual([["path.model_id", "value_error"]]);
    }
    expect((await mine.ok("GET", "/v1/models/kept")).body["id"]).toBe(id);
    expect((await mine.problem("DELETE", "/v1/models/kept@none"))[0]).toBe(404);
    await mine.ok("DELETE", `/v1/models/${id}?force=true`);
  });

  it("references that are none, and names that mean nothing", async () => {
    for (const reference of ["a@", "@a", "a@0", "a@b@c", "a%20b", "a@%F0%9F%8F%86"]) {
      expect(await mine.faults("GET", `/v1/models/${reference}`), reference).toEqual([
        ["path.model_id", "string_pattern_mismatch"],
      ]);
    }
    for (const reference of ["nothing", "nothing@a", "nothing@1", `${NOBODY}@a`, NOBODY]) {
      expect(await mine.problem("GET", `/v1/models/${reference}`)).toEqual([
        404,
        "There is no such model.",
      ]);
    }
  });

  it("what means no model, with what is near it in the own organization alone", async () => {
    const [first, second] = [await take(), await take()];
    await named(first, "quarterly");
    await point("quarterly", "champion", { version: 1 });
    const told = async (reference: string) =>
      (await mine.problem("GET", `/v1/models/${reference}`))[1];
    const version = "There is no such model: 'quarterly' has no version 5; its";
    expect(await told("quarterly@5")).toBe(`${version} only version is 1.`);
    await named(second, "quarterly");
    expect(await told("quarterly@5")).toBe(`${version} versions are 2 and 1.`);
    const name = "There is no such model: the closest name is 'quarterly'.";
    for (const reference of ["quartely", "Quarterlies", "quartely@2", "quartely@champion"]) {
      expect(await told(reference)).toBe(name);
    }
    expect(await told("quarterly@chmpion")).toBe(
      "There is no such model: 'quarterly' has no alias 'chmpion'; the closest that it has: 'champion'.",
    );
    const body = { dataset_id: datasetId, task: { task_kind: "regression", label_column: "y" } };
    for (const [path, sent] of [
      ["/v1/models/quartely/predict", ROWS],
      ["/v1/trainer/run", { ...body, teacher_model_id: "quartely" }],
    ] as const) {
      expect(await mine.problem("POST", path, { body: sent })).toEqual([404, name]);
    }
    expect(await mine.problem("GET", "/v1/registry/quartely")).toEqual([
      404,
      "There is no such registered name: the closest name is 'quarterly'.",
    ]);
    for (const reference of ["quarterly", "quartely", "quarterly@5", "quarterly@champion"]) {
      expect(await other.problem("GET", `/v1/models/${reference}`)).toEqual([
        404,
        "There is no such model.",
      ]);
    }
    await mine.ok("DELETE", `/v1/models/${first}?force=true`);
    await mine.ok("DELETE", `/v1/models/${second}?force=true`);
  });

  it("a name that is a document schema's id, and an id that is a name", async () => {
    const documents = [{ name: "a.txt", text: "Invoice 1\nTotal: 3.50" }];
    const induce = (model_id: string) =>
      mine.ask("POST", "/v1/agentic/documents/induce_schema", {
        body: { documents, skill: "general", use_case: "predict the total", model_id },
      });
    expect((await induce("slips")).status).toBe(200);
    expect(await mine.problem("GET", "/v1/models/slps")).toEqual([
      404,
      "There is no such model: the closest name is 'slips'.",
    ]);
    expect((await other.problem("GET", "/v1/models/slps"))[1]).toBe("There is no such model.");
    const id = await take();
    expect(await patch(id, { name: "slips" })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("a model with the id slips already") },
    });
    await named(id, "bills");
    expect((await induce("bills")).status).toBe(409);
    const run = {
      dataset_id: datasetId,
      register_as: "slips",
      task: { task_kind: "regression", label_column: "y" },
    };
    expect((await mine.problem("POST", "/v1/trainer/run", { body: run }))[0]).toBe(409);
    expect(await patch("slips", { name: "other" })).toMatchObject({ status: 409 });
    expect((await point("bills", "x", { model_id: "slips" })).status).toBe(422);
    const race = await Promise.all([induce("both"), patch(id, { name: "both" })]);
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409]);
    await patch(id, { name: null });
    spare.push(id);
  });

  it("another organization's names, and those without a token or a scope", async () => {
    const id = await take();
    await named(id, "ours");
    await point("ours", "best", { version: 1 });
    const operations = [
      ["GET", "/v1/registry/ours"],
      ["GET", aliasPath("ours", "best")],
      ["DELETE", aliasPath("ours", "best")],
      ["POST", `${aliasPath("ours", "best")}/rollback`],
      ["PUT", aliasPath("ours", "best"), { model_id: id }],
      ["PATCH", `/v1/models/${id}`, { name: "theirs" }],
      ["PATCH", "/v1/models/ours@best", { notes: "" }],
      ["POST", "/v1/models/ours@best/predict", ROWS],
      ["DELETE", "/v1/models/ours@best"],
    ] as const;
    for (const [method, path, body] of operations) {
      const options = body === undefined ? {} : { body };
      const theirs = await other.ask(method, path, options);
      const missing = await other.ask(method, path.replace("ours", "nothing"), options);
      expect(theirs.status, `${method} ${path}`).toBe(404);
      expect(theirs.body["detail"]).toBe(missing.body["detail"]);
    }
    expect((await other.ok("GET", "/v1/registry")).body["names"]).toEqual([]);
    // Their own name of the same letters is theirs.
    const strangers = await other.ask("PUT", aliasPath("ours", "best"), { body: { model_id: id } });
    expect(strangers.status).toBe(404);

    const made = await mine.ok("POST", "/v1/api_keys", {
      body: { name: "data", scopes: ["datasets:read"] },
    });
    const poor = new Organization(server, String(made.body["key"]));
    const nobody = new Organization(server, "dk_wrong");
    for (const [method, path, body] of [["GET", "/v1/registry"] as const, ...operations]) {
      const options = body === undefined ? {} : { body };
      expect((await nobody.problem(method, path, options))[0]).toBe(401);
      expect((await poor.problem(method, path, options))[0]).toBe(403);
    }
    await mine.ok("DELETE", `/v1/models/${id}?force=true`);
  });
});
