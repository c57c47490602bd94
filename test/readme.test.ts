/** The README's commands and snippets, run as they stand but for address, ids and run length. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_LONG } from "./support/long.ts";
import { removeHomes, TestServer } from "./support/server.ts";
import { SharedServer } from "./support/shared-server.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const KEY = "my-secret-key-0123";

/** What stands below a heading of the second level. */
function section(heading: string): string {
  const found = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`The README has no section "${heading}".`);
  return found;
}

function blocks(language: string, text = readme): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , body]) => body);
}

/** The words of a command as a shell reads them, after assignments such as `api=http://…`. */
function words(command: string, assignments: readonly string[] = []): string[] {
  const script = [...assignments, `printf '%s\\0' ${command}`].join("\n");
  const text = execFileSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
  return text.split("\0").slice(0, -1);
}

/** The commands of a section in order, each with the assignments that stand before it. */
function commandsOf(heading: string): { command: string; assignments: readonly string[] }[] {
  const assignments: string[] = [];
  return blocks("sh", section(heading))
    .flatMap((block) => block.replaceAll("\\\n", " ").split(/\n(?=curl|\w+=)/))
    .map((line) => line.trim().replaceAll("\n", " "))
    .flatMap((line) => {
      if (/^[a-z]+=\S/.test(line)) assignments.push(line);
      return line.startsWith("curl") ? [{ command: line, assignments: [...assignments] }] : [];
    });
}

const FEW_TREES =
  '"hpo_space": {"models": [{"family": "gbdt", "fixed": {"n_estimators": 20}}, {"family": "linear"}]}';

/** A run as it is asked for, but a short one: of families of its own where all would be tried. */
function quickly(command: string): string {
  const families = command.includes("model_families") ? "" : `, ${FEW_TREES}`;
  return command
    .replaceAll('"n_trials": 2', `"n_trials": 1, "n_cv_splits": 2${families}`)
    .replaceAll('"model_families": ["gbdt", "linear"]', FEW_TREES);
}

/** What the README's curl commands do, done by fetch: curl need not be on the machine. */
async function curl(command: string, assignments: readonly string[] = []): Promise<string> {
  const headers: Record<string, string> = {};
  let url = "";
  let method: string | undefined;
  let body: string | undefined;
  const form = new FormData();
  const given = words(command, assignments).slice(1);
  while (given.length > 0) {
    const word = given.shift() ?? "";
    if (word === "-H") {
      const [name, value] = (given.shift() ?? "").split(": ");
      headers[name] = value;
    } else if (word === "-d") body = given.shift() ?? "";
    else if (word === "--data-binary") {
      body = readFileSync(join(root, (given.shift() ?? "").replace(/^@/, "")), "utf8");
    } else if (word === "-F") {
      const [name = "", path = ""] = (given.shift() ?? "").split("=@");
      form.append(name, new Blob([readFileSync(join(root, path))]), basename(path));
    } else if (word === "-X") method = given.shift();
    // What it would be kept as.
    else if (word === "-o") given.shift();
    else if (word.startsWith("http")) url = word;
    else if (!/^-s?N?$/.test(word)) throw new Error(`The test does not know ${word}.`);
  }
  const sent = [...form].length > 0 ? form : body;
  const response = await fetch(url, {
    headers,
    method: method ?? (sent === undefined ? "GET" : "POST"),
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

afterAll(removeHomes);

describe("by curl", () => {
  const OVER_FILES = "From a folder of Parquet files to a trained model, with SQL in between";
  let server: TestServer;
  beforeAll(async () => {
    expect(readme).toContain(`DISTILLERY_API_KEY=${KEY} npx -y pnpm@12 start`);
    expect(section(OVER_FILES)).toContain(
      `DISTILLERY_API_KEY=${KEY} DISTILLERY_FILE_ROOTS=$PWD/fixtures npx -y pnpm@12 start`,
    );
    // It is the same for all but that one section reads files of its machine.
    const env = { DISTILLERY_API_KEY: KEY, DISTILLERY_FILE_ROOTS: join(root, "fixtures") };
    server = await TestServer.start({ env });
  });
  afterAll(() => server.stop());

  it.runIf(IS_LONG)("goes from a dataset to a prediction", async () => {
    const commands = commandsOf("Use it").map(({ command }) => command);
    const ids: Record<string, string> = {};
    const run = (command: string): Promise<string> => {
      const filled = Object.entries(ids).reduce(
        (text, [name, id]) => text.replaceAll(name, id),
        quickly(command),
      );
      return curl(filled.replaceAll("http://127.0.0.1:8080", server.baseUrl));
    };
    const find = (part: string): string => {
      const command = commands.find((each) => each.includes(part));
      if (!command) throw new Error(`The README has no command with ${part}.`);
      return command;
    };
    ids["DATASET_ID"] = JSON.parse(await run(find("/v1/datasets"))).dataset_id;
    ids["JOB_ID"] = JSON.parse(await run(find("/v1/trainer/run"))).job_id;
    expect(await run(find("/events"))).toContain("event: end");
    await expect(
      fetch(`${server.baseUrl}/v1/training_jobs/${ids["JOB_ID"]}`, {
        headers: { authorization: `Bearer ${KEY}` },
      }).then((response) => response.json()),
    ).resolves.toMatchObject({ status: "completed", error_message: "" });
    ids["MODEL_ID"] = JSON.parse(await run(find("/v1/results/"))).result.model_id;
    const { predictions } = JSON.parse(await run(find("/predict")));
    expect(Object.values<number>(predictions[0].probabilities).reduce((a, b) => a + b)).toBeCloseTo(
      1,
    );
    expect(await run(find("/report"))).toContain("<!doctype html>");
    expect(await run(find("/onnx"))).toContain("LabelEncoder");
    expect(await run(find("/archive"))).toContain("model/model.json");
    expect(await run(find("/card"))).toContain("<!doctype html>");
    expect(JSON.parse(await run(find("PATCH")))).toMatchObject({ name: "cars", version: 1 });
    expect(JSON.parse(await run(find("PUT")))).toMatchObject({ model_id: ids["MODEL_ID"] });
    expect(JSON.parse(await run(find("cars@champion/predict")))).toMatchObject({
      model_id: ids["MODEL_ID"],
      predictions,
    });
    expect(JSON.parse(await run(find("cars-live")))).toMatchObject({ status: "ready" });
    expect(JSON.parse(await run(find("cars-live/predict")))).toMatchObject({
      model_id: ids["MODEL_ID"],
      predictions,
    });
    expect(JSON.parse(await run(find("prediction_log")))).toMatchObject({
      prediction_log: { sample_rate: 0.2, keep_days: 90 },
    });
    ids["BATCH_ID"] = JSON.parse(await run(find("?model_id=cars@champion"))).job_id;
    const scored = async (): Promise<{ status: string; result?: { rows: number; url: string } }> =>
      JSON.parse(await run(find("/v1/batch_predictions/BATCH_ID")));
    let batch = await scored();
    while (batch.status === "pending" || batch.status === "running") batch = await scored();
    expect(batch).toMatchObject({ status: "completed", result: { rows: 1728 } });
    expect(await (await fetch(batch.result?.url ?? "")).text()).toMatch(/^.*,prediction,/);
    const modelsOf = async (part: string): Promise<readonly string[]> => {
      ids["JOB_ID"] = JSON.parse(await run(find(part))).job_id;
      await run(find("/events"));
      const response = await fetch(`${server.baseUrl}/v1/training_jobs/${ids["JOB_ID"]}`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      const job: { status: string; model_ids: string[] } = await response.json();
      expect(job.status).toBe("completed");
      return job.model_ids;
    };
    expect((await modelsOf("grid_size")).length).toBeGreaterThan(0);
    expect((await modelsOf("teacher_model_id")).length).toBe(1);
    expect(commands.length).toBe(19);
  });

  it.runIf(IS_LONG)(
    "goes from a pile of documents to an explanation, command by command",
    async () => {
      const HEADING = "From a pile of documents to a model";
      const keys: { document: string; expense: string }[] = JSON.parse(
        readFileSync(join(root, "fixtures/receipts/keys.json"), "utf8"),
      );
      const expenses = new Map(keys.map(({ document, expense }) => [document, expense]));
      const ids: Record<string, string> = {};
      const answers: string[] = [];
      for (const { command, assignments } of commandsOf(HEADING)) {
        const filled = [...assignments, command].map((text) =>
          Object.entries(ids)
            .reduce((line, [name, id]) => line.replaceAll(name, id), quickly(text))
            .replaceAll("http://127.0.0.1:8080", server.baseUrl),
        );
        let answer = await curl(filled.at(-1) ?? "", filled.slice(0, -1));
        // A person asks again until the job is done.
        while (["pending", "running"].includes(JSON.parse(answer).status)) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          answer = await curl(filled.at(-1) ?? "", filled.slice(0, -1));
        }
        answers.push(answer);
        const { documents, job_id, dataset_id, status, result } = JSON.parse(answer);
        if (status !== undefined) expect(status, answer).toBe("completed");
        if (job_id !== undefined) ids["JOB_ID"] = job_id;
        if (dataset_id !== undefined) ids["DATASET_ID"] = dataset_id;
        if (result?.model_id !== undefined) ids["MODEL_ID"] = result.model_id;
        if (documents !== undefined) {
          const given: { document_id: string; name: string }[] = documents;
          ids["DOCUMENT_IDS"] = given.map(({ document_id }) => `"${document_id}"`).join(", ");
          ids["ROWS"] = given
            .map(({ document_id, name }) => {
              const columns = { expense: expenses.get(name) };
              return JSON.stringify({ document_id, columns });
            })
            .join(", ");
        }
      }
      const { schema } = JSON.parse(answers[4] ?? "");
      const questions: { id: string }[] = schema.questions;
      const known = questions.map(({ id }) => id);
      expect(known).toEqual(expect.arrayContaining(["company", "date", "total"]));
      expect(JSON.parse(answers[6] ?? "").result.rows).toHaveLength(keys.length);
      const { classes } = JSON.parse(answers.at(-1) ?? "").explanations[0];
      const columns = Object.keys(classes.meals.contributions);
      expect(columns.length).toBeGreaterThan(3);
      expect(known).toEqual(expect.arrayContaining(columns));
      expect(answers.length).toBe(10);
    },
  );

  it("goes over SQL to a prediction, command by command", async () => {
    const ids: Record<string, string> = {};
    const answers: { command: string; answer: string }[] = [];
    for (const { command, assignments } of commandsOf(OVER_FILES)) {
      const filled = [...assignments, command].map((text) =>
        Object.entries(ids)
          .reduce((line, [name, id]) => line.replaceAll(name, id), quickly(text))
          .replaceAll("http://127.0.0.1:8080", server.baseUrl),
      );
      const answer = await curl(filled.at(-1) ?? "", filled.slice(0, -1));
      answers.push({ command, answer });
      if (command.includes("$api/datasets")) ids["DATASET_ID"] = JSON.parse(answer).dataset_id;
      if (command.includes("/trainer/run")) ids["JOB_ID"] = JSON.parse(answer).job_id;
      if (command.includes("/results/")) ids["MODEL_ID"] = JSON.parse(answer).result.model_id;
    }
    const answerTo = (part: string): string =>
      answers.find(({ command }) => command.includes(part))?.answer ?? "";

    expect(JSON.parse(answerTo("GROUP BY year")).rows).toEqual([
      { year: 2011, rentals: 1243103 },
      { year: 2012, rentals: 2049576 },
    ]);
    const byWeather: { weather: string; an_hour: number }[] = JSON.parse(
      answerTo("GROUP BY ALL"),
    ).rows;
    expect(byWeather.map(({ weather }) => weather)).toEqual([
      "clear or partly cloudy",
      "mist",
      "light snow or light rain",
      "heavy rain or snow",
    ]);
    expect(JSON.parse(answerTo("query:explain")).scans).toMatchObject([
      { columns: ["workingday", "cnt", "year", "month"], partitions: { read: 3, all: 24 } },
    ]);
    const dataset = JSON.parse(answerTo("$api/datasets"));
    expect(dataset).toMatchObject({ name: "rentals-and-weather", rows: 17379 });
    expect(answerTo("/events")).toContain("event: end");
    expect(JSON.parse(answerTo("/results/"))).toMatchObject({ status: "completed" });
    const [{ value }] = JSON.parse(answerTo("/predict")).predictions;
    expect(value).toBeGreaterThan(100);
    expect(JSON.parse(answerTo("orders/test"))).toMatchObject({ ok: false });
    expect(answers.length).toBe(18);
  });
});

describe("From TypeScript", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(root, "test/readme-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function runSnippet(name: string, source: string): { status: number | null; output: string } {
    const file = join(folder, name);
    writeFileSync(file, source);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      cwd: root,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  }

  it("the client lists models", async () => {
    const server = await SharedServer.join();
    const snippet = blocks("ts").find((block) => block.includes("@distillery/client")) ?? "";
    expect(snippet).toContain(KEY);
    const asked = snippet.replace("http://127.0.0.1:8080", server.baseUrl).replace(KEY, server.key);
    const { status, output } = runSnippet(
      "client.ts",
      `${asked}\nconsole.log(JSON.stringify(models));`,
    );
    expect(output.trim()).toBe("[]");
    expect(status).toBe(0);
  });

  it("the engine trains", () => {
    const snippet = blocks("ts").find((block) => block.includes("@distillery/engine")) ?? "";
    const quick = snippet
      .replace("nTrials: 5", 'nTrials: 1, modelFamilies: ["linear"], nCvSplits: 2')
      .replace('"bikes-run"', JSON.stringify(join(folder, "run")));
    expect(quick).not.toBe(snippet);
    const { status, output } = runSnippet("engine.ts", quick);
    expect(output).toMatch(/rmse: \d/);
    expect(status).toBe(0);
  });
});

describe("See it work", () => {
  it("the demo goes to its end and leaves no process", async () => {
    expect(readme).toContain("npx -y pnpm@12 demo");
    const quick = ["--trials", "1", "--folds", "2", "--hours", "400"];
    const port = await freePort();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["scripts/demo.ts", ...quick, "--exit", "--port", String(port)],
      { cwd: root, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toContain("Leaderboard");
    expect(stdout).toMatch(/Test score on the \d+ rows kept back: rmse \d/);
    // What is named is there when the server has ended.
    const [, report] = /in a browser:\s+(\S+\.html)\n/.exec(stdout) ?? [];
    expect(await readFile(join(root, report), "utf8")).toMatch(/<\/html>\s*$/);
    expect(stdout).toMatch(/npx -y pnpm@12 start --home \.distillery\/demo-\d+\n/);
    expect(status).toBe(0);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });
});

describe.runIf(IS_LONG)("demo:forecast", () => {
  it("goes from hours to the next two days", async () => {
    expect(readme).toContain("npx -y pnpm@12 demo:forecast");
    const port = await freePort();
    const more = ["--trials", "1", "--days", "30", "--exit", "--port", String(port)];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["scripts/demo-forecast.ts", ...more],
      { cwd: root, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /^the mean over \d+ windows of 48 steps \(1 hour each\), rolling origin.*:$/m,
    );
    expect(stdout).toMatch(/the blend \d\.\d+/);
    expect(stdout).toMatch(
      /Mean absolute error \d+\.\d rentals; the intervals hold \d+ of 48 hours/,
    );
    expect(status).toBe(0);
  });
});

describe.runIf(IS_LONG)("demo:sequences", () => {
  it("goes from days to what their hours add", async () => {
    expect(readme).toContain("npx -y pnpm@12 demo:sequences");
    const port = await freePort();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["scripts/demo-sequences.ts", "--days", "80", "--exit", "--port", String(port)],
      { cwd: root, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    const right = /Of the 20 days kept back, (\d+) are told right/.exec(stdout);
    expect(Number(right?.[1])).toBeGreaterThan(14);
    const stretches = [...stdout.matchAll(/^\d\d:00 to \d\d:59 +([+−])(\d\.\d+)/gm)];
    expect(stretches).toHaveLength(8);
    const [, prediction, base] =
      /working day (\d\.\d+); (\d\.\d+) if nothing/.exec(stdout)?.map(Number) ?? [];
    const added = stretches.map(([, sign, size]) => (sign === "+" ? 1 : -1) * Number(size));
    // Each is rounded to three digits.
    expect(Math.abs(base + added.reduce((a, b) => a + b) - prediction)).toBeLessThan(0.006);
    expect(status).toBe(0);
  });
});

describe.runIf(IS_LONG)("demo:documents", () => {
  it("goes from receipts to an explanation", async () => {
    expect(readme).toContain("npx -y pnpm@12 demo:documents");
    const port = await freePort();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["scripts/demo-documents.ts", "--receipts", "12", "--exit", "--port", String(port)],
      { cwd: root, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toMatch(/What is the total.*\n +Stated by \d+ of 10 documents/);
    expect(stdout).toMatch(/total +\d+(\.\d+)? +0\.\d\d +“.*\d”/);
    expect(stdout).toMatch(
      /Of 2 receipts that the model has not seen, it files [0-2] as people did/,
    );
    expect(stdout).toMatch(/It is taken for (meals|groceries|supplies) with \d/);
    expect(status).toBe(0);
  });
});

describe("the demo's server", () => {
  it("ends with the demo, even when that is killed", async () => {
    const port = await freePort();
    const alive = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      );
    const demo = spawn(process.execPath, ["scripts/demo.ts", "--port", String(port)], {
      cwd: root,
      stdio: "ignore",
    });
    await expect.poll(alive, { interval: 100 }).toBe(true);
    demo.kill("SIGKILL");
    await expect.poll(alive, { interval: 100 }).toBe(false);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
