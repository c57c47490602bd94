/** The server as a process: a kill -9, a killed database, an orderly end, the probes. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { currentBundle } from "../server/src/bundle.ts";
import { serverAccount } from "../server/src/platform/db/embedded/account.ts";
import { placeServer } from "../server/src/platform/db/embedded/placement.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { API_KEY, newHome, preparedHome, removeHomes, TestServer } from "./support/server.ts";

const cli = fileURLToPath(new URL("../server/src/cli.ts", import.meta.url));
afterAll(removeHomes);

describe("start", () => {
  it("comes back after kill -9 with what it had", async () => {
    const home = await newHome();
    const first = await TestServer.start({ home, workers: 1 });
    const dataset = await first.uploadCsv("kept", "a,b\n1,2\n3,4\n");
    await first.kill();
    const second = await TestServer.start({ home, workers: 1 });
    const found = await second.get<{ rows: number }>(`/v1/datasets/${dataset}`);
    expect(found.rows).toBe(2);
    for (const path of ["/healthz", "/readyz"]) {
      expect((await fetch(second.baseUrl + path)).status).toBe(200);
    }
    expect(await second.stop()).toBe(0);
  });

  it.runIf(IS_LONG)("outlives its database, which is killed under a running job", async () => {
    const server = await TestServer.start({ workers: 1 });
    const rows = Array.from({ length: 200 }, (_, i) => `${i},${(i * 7) % 13},${3 * i + 1}`);
    const dataset = await server.uploadCsv("line", ["x,z,y", ...rows].join("\n"));
    const jobId = await startRun(server, {
      dataset_id: dataset,
      task: { task_kind: "regression", label_column: "y" },
      hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 100 } }] },
      n_trials: 8,
      n_trials_per_step: 2,
      n_cv_splits: 3,
      pruning: false,
    });
    const started = async () =>
      (await server.get<{ progress: { folds_done: number } }>(`/v1/training_jobs/${jobId}`))
        .progress.folds_done;
    await expect.poll(started).toBeGreaterThan(2);
    const { data } = await placeServer(server.home, await serverAccount());
    const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);
    process.kill(pid, "SIGKILL");
    const ready = async () => (await fetch(`${server.baseUrl}/readyz`)).status;
    await server.process.says(/the embedded database serves again/);
    await expect.poll(ready).toBe(200);
    expect(await awaitJob(server, jobId)).toMatchObject({ status: "completed", error_message: "" });
    // The line comes behind what it tells of.
    await server.process.says(/"training ended"/);
    const ended = server.process.output.match(/.*"training ended".*/g) ?? [];
    expect(ended.map((line) => JSON.parse(line))).toMatchObject([
      { job: jobId, status: "completed", seconds: expect.any(Number) },
    ]);
    expect(await server.uploadCsv("after", "a,b\n1,2\n3,4\n")).toBeTypeOf("string");
    expect(await server.stop()).toBe(0);
  });

  it.runIf(IS_LONG)(
    "a server that serves alone says why it is not ready, and a worker on its home trains for it",
    async () => {
      const server = await TestServer.start({ workers: 0 });
      const probe = async (): Promise<number> => (await fetch(`${server.baseUrl}/readyz`)).status;
      for (let at = 0; at < 3; at++) expect(await probe()).toBe(503);
      const worker = spawn(process.execPath, [cli, "worker", "--home", server.home], {
        stdio: "ignore",
        env: { ...process.env, DISTILLERY_WORKERS: "1" },
      });
      try {
        const rows = Array.from({ length: 60 }, (_, i) => `${i},${(i * 7) % 13},${3 * i + 1}`);
        const dataset = await server.uploadCsv("line", ["x,z,y", ...rows].join("\n"));
        const jobId = await startRun(server, {
          dataset_id: dataset,
          task: { task_kind: "regression", label_column: "y" },
          model_families: ["linear"],
          n_trials: 1,
          n_cv_splits: 2,
        });
        const job = await awaitJob(server, jobId);
        expect(job).toMatchObject({ status: "completed", error_message: "" });
        await expect.poll(probe).toBe(200);
      } finally {
        worker.kill("SIGTERM");
        await once(worker, "exit");
        await server.stop();
      }
      expect(worker.exitCode).toBe(0);
      // However often it was asked, once, and without a stack.
      const lines = server.process.output.match(/.*"not ready".*/g) ?? [];
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("no process works the queue");
      expect(lines[0]).not.toContain("stack");
    },
  );

  // npm hands a signal to its shell alone, which ends of it (or, at SIGINT, waits for its child);
  // Ctrl-C and a terminal that closes reach the whole process group.
  const signals: readonly [NodeJS.Signals, "npx" | "its group"][] = [
    ["SIGTERM", "npx"],
    ["SIGHUP", "npx"],
    ["SIGINT", "its group"],
  ];
  it.each(IS_LONG ? signals : signals.slice(0, 1))(
    "ends in order when it was started by npx and %s comes to %s",
    async (signal, to) => {
      const root = fileURLToPath(new URL("..", import.meta.url));
      const parameters = ["-y", "pnpm@12", "start", "--port", "0", "--home", await preparedHome()];
      const npx = spawn("npx", parameters, {
        cwd: root,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, DISTILLERY_API_KEY: API_KEY, DISTILLERY_WORKERS: "0" },
      });
      let output = "";
      const ended = once(npx, "close");
      const base = await new Promise<string>((resolve, reject) => {
        const read = (chunk: Buffer): void => {
          output += chunk.toString();
          const greeting = /API +(http:\/\/\S+)\/v1/.exec(output);
          if (greeting !== null) resolve(greeting[1]!);
        };
        npx.stdout.on("data", read);
        npx.stderr.on("data", read);
        void ended.then(() => reject(new Error(output)));
      });
      expect((await fetch(`${base}/healthz`)).status).toBe(200);
      expect(currentBundle()).not.toBeNull();
      process.kill(to === "npx" ? npx.pid! : -npx.pid!, signal);
      // Its output ends with the last process that could write to it.
      await ended;
      expect(output).toContain('"msg":"stopped"');
      await expect(fetch(`${base}/healthz`)).rejects.toThrow();
    },
  );

  it("ends in order when nobody reads its log any more", async () => {
    const server = spawn(
      process.execPath,
      [cli, "start", "--port", "0", "--home", await preparedHome()],
      {
        stdio: ["ignore", "pipe", "ignore"],
        env: { ...process.env, DISTILLERY_API_KEY: API_KEY, DISTILLERY_WORKERS: "0" },
      },
    );
    const ended = once(server, "exit");
    let output = "";
    for await (const chunk of server.stdout) {
      output += String(chunk);
      // Leaving the loop closes the pipe.
      if (/API +http\S+/.test(output)) break;
    }
    const [, base] = /API +(http\S+)\/v1/.exec(output) ?? [];
    // Without workers a line of the log says why.
    const answers = async (): Promise<boolean> =>
      fetch(`${base}/readyz`).then(
        () => true,
        () => false,
      );
    try {
      await expect.poll(answers).toBe(false);
      expect(await ended).toEqual([0, null]);
    } finally {
      server.kill("SIGKILL");
    }
  });

  it.each(["start", "worker"])("%s --help tells its options", (command) => {
    const { status, stdout } = spawnSync(process.execPath, [cli, command, "--help"], {
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).toContain("--port");
  });
});
