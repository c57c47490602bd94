/**
 * The console in Chromium: how soon it is there, and whether the page of a run stays smooth while the events of
 * its last trials come. The service and its worker use the same processors, so beside what a viewer would see
 * stands what the page's own thread needed: its processor time.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { findBrowser } from "../../../scripts/browser.ts";
import { buildConsole } from "../../../scripts/build-console.ts";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { AUTHORIZATION, type ServerProcess, send, withService } from "../service.ts";
import { textTable } from "../text-table.ts";
import { type FirstLoad, firstLoad } from "./first-load.ts";
import { type Frames, watchFrames } from "./frames.ts";

/** What a frame may take at 60 a second. */
const FRAME_MS = 1000 / 60;
const FIRST_LOAD_MS = 1000;
/** Of a run of all trials, this many are there before the page is opened. */
const SEEN_BEFORE = 0.9;
const LOADS = 5;
const ROWS = 150;

interface ConsoleRequest {
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchConsole({ quick, findings, print }: ConsoleRequest): Promise<void> {
  const executablePath = findBrowser();
  if (executablePath === null) {
    print(
      "\nconsole: left out, since there is no Chromium (node scripts/browser.ts fetches one)\n",
    );
    return;
  }
  await buildConsole();
  await withService({ DISTILLERY_WORKERS: "1" }, async (server) => {
    const browser = await chromium.launch({ executablePath });
    try {
      const context = await signedIn(browser, server);
      noteLoads(await loadsOf(context, quick ? 2 : LOADS), findings, print);
      const trials = quick ? 2000 : 10_000;
      noteFrames(trials, await framesOf(context, server, trials), findings, print);
    } finally {
      await browser.close();
    }
  });
}

async function signedIn(browser: Browser, server: ServerProcess): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 1280, height: 900 },
  });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.goto("/");
  await page.getByLabel("API key").fill(AUTHORIZATION.authorization.replace("Bearer ", ""));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Areas" }).waitFor();
  await page.close();
  return context;
}

async function loadsOf(context: BrowserContext, times: number): Promise<FirstLoad[]> {
  const loads: FirstLoad[] = [];
  for (let i = 0; i < times; i++) loads.push(await firstLoad(context));
  return loads;
}

function noteLoads(
  loads: readonly FirstLoad[],
  findings: Findings,
  print: (text: string) => void,
): void {
  const best = loads.toSorted((a, b) => a.ms - b.ms)[0]!;
  const median = loads.map(({ ms }) => ms).toSorted((a, b) => a - b)[loads.length >> 1]!;
  findings.compare({
    what: "first load to the start page, median",
    ...{ unit: "ms", better: "smaller", ours: median },
    ...{ against: ASKED_FOR, theirs: FIRST_LOAD_MS },
  });
  findings.compare({
    what: "first load, over the wire",
    ...{ unit: "kB", better: "smaller", ours: best.bytes / 1000 },
    ...{ against: ASKED_FOR, theirs: 300 },
  });
  print(
    `\nConsole: first load with a session, nothing in the browser's cache\n${textTable(
      ["", "ms", "kB"],
      loads.map(({ ms, bytes }, at) => [
        `load ${at + 1}`,
        ms.toFixed(0),
        (bytes / 1000).toFixed(0),
      ]),
    )}\n`,
  );
}

/** Two classes that lie apart by little, so that trials differ. */
function rows(): string {
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const [x, y] = [Math.sin(7 * i), Math.cos(11 * i)];
    return `${x.toFixed(4)},${y.toFixed(4)},${x + 0.8 * y + Math.sin(37 * i) > 0 ? "yes" : "no"}`;
  });
  return `x,y,label\n${lines.join("\n")}\n`;
}

/** Starts the run and looks at its page while the last tenth of its trials come. */
async function framesOf(
  context: BrowserContext,
  server: ServerProcess,
  trials: number,
): Promise<Frames> {
  const upload = await fetch(`${server.url}/v1/datasets?name=points`, {
    method: "POST",
    headers: { ...AUTHORIZATION, "content-type": "text/csv" },
    body: rows(),
  });
  const { dataset_id }: { dataset_id: string } = await upload.json();
  const { job_id } = await send<{ job_id: string }>(server, "POST", "/v1/trainer/run", {
    dataset_id,
    task: { task_kind: "binclass", label_column: "label" },
    model_families: ["linear"],
    search_strategy: "random",
    n_trials: trials,
    n_trials_per_step: 50,
    n_cv_splits: 2,
    pruning: false,
    random_state: 1,
  });
  const done = async (): Promise<number> => {
    const job = await send<{
      status: string;
      error_message: string;
      progress: { trials_done: number };
    }>(server, "GET", `/v1/training_jobs/${job_id}`);
    if (job.status === "failed") throw new Error(job.error_message);
    return job.status === "completed" ? trials : job.progress.trials_done;
  };
  while ((await done()) < SEEN_BEFORE * trials) await sleep(200);
  return watchFrames(context, `/train/runs/${job_id}`, {
    isOver: async () => (await done()) >= trials,
  });
}

function noteFrames(
  trials: number,
  frames: Frames,
  findings: Findings,
  print: (text: string) => void,
): void {
  const what = `a run of ${trials} trials while events come`;
  findings.compare({
    what: `${what}: thread of the page, a frame`,
    ...{ unit: "ms of processor", better: "smaller", ours: frames.cpuMs / frames.frames },
    ...{ against: ASKED_FOR, theirs: FRAME_MS },
  });
  findings.compare({
    what: `${what}: longest task`,
    ...{ unit: "ms of processor", better: "smaller", ours: frames.longestTaskMs },
    ...{ against: ASKED_FOR, theirs: FRAME_MS },
  });
  findings.note(`${what}: frames a second by the clock`, "1/s", frames.frames / frames.seconds);
  findings.note(`${what}: trials a second`, "1/s", frames.trials / frames.seconds);
  print(
    `\nConsole: ${what}, the table scrolled all the while\n${textTable(
      ["", ""],
      [
        ["watched, s", frames.seconds.toFixed(1)],
        ["trials a second, each three events", (frames.trials / frames.seconds).toFixed(0)],
        ["opened and caught up, ms of processor", frames.caughtUpCpuMs.toFixed(0)],
        ["longest task while catching up, ms of processor", frames.caughtUpTaskMs.toFixed(1)],
        ["frames a second by the clock", (frames.frames / frames.seconds).toFixed(1)],
        ["time between frames, median ms", frames.medianMs.toFixed(1)],
        ["time between frames, 99 % below, ms", frames.p99Ms.toFixed(1)],
        ["page's thread, ms of processor a frame", (frames.cpuMs / frames.frames).toFixed(2)],
        ["its longest task, ms of processor", frames.longestTaskMs.toFixed(1)],
        [`its tasks above ${FRAME_MS.toFixed(1)} ms of processor`, String(frames.tasksAboveFrame)],
      ],
    )}\n`,
  );
}
