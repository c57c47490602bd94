/** A page watched for a while: its frames by the clock, and its thread's processor time from a trace. */

import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, CDPSession, Page } from "playwright-core";

export interface Frames {
  readonly seconds: number;
  readonly frames: number;
  /** That the page was told of meanwhile. */
  readonly trials: number;
  /** Between two frames, by the clock. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Processor time of the page's thread, all its tasks. */
  readonly cpuMs: number;
  readonly longestTaskMs: number;
  /** Tasks that needed more processor time than a frame has. */
  readonly tasksAboveFrame: number;
  /** The same from opening the page until it showed all that was there. */
  readonly caughtUpCpuMs: number;
  readonly caughtUpTaskMs: number;
}

const FRAME_MS = 1000 / 60;
const POLL_MS = 500;

/** Notes when each frame begins, from now on. */
const NOTE_FRAMES = `(() => {
  window.frameTimes = [];
  const note = (at) => { frameTimes.push(at); requestAnimationFrame(note); };
  requestAnimationFrame(note);
})()`;
/** Of trials in all states, as the table's choice of states says it. */
const TRIALS_SHOWN = `Number([...document.querySelectorAll("option")]
  .map(({ textContent }) => /^All \\(([\\d,]+)\\)$/.exec(textContent)?.[1])
  .find(Boolean)?.replaceAll(",", "") ?? 0)`;

/** @param isOver asked now and then; the page is watched until it is */
export async function watchFrames(
  context: BrowserContext,
  path: string,
  { isOver }: { readonly isOver: () => Promise<boolean> },
): Promise<Frames> {
  const page = await context.newPage();
  const opening = await Trace.start(page);
  await page.goto(path);
  const trials = page.getByRole("region", { name: "Trials" });
  await trials.waitFor();
  await caughtUp(page);
  const opened = await opening.end();

  await trials.scrollIntoViewIfNeeded();
  await trials.hover();
  const before = await page.evaluate<number>(TRIALS_SHOWN);
  const trace = await Trace.start(page);
  await page.evaluate(NOTE_FRAMES);
  for (let down = true; !(await isOver()); down = !down) {
    // Steps of a wheel, as somebody makes them who looks for a trial.
    for (let step = 0; step < 10; step++) {
      await page.mouse.wheel(0, down ? 300 : -200);
      await sleep(POLL_MS / 10);
    }
  }
  const times = await page.evaluate<number[]>("frameTimes");
  const tasks = await trace.end();
  const after = await page.evaluate<number>(TRIALS_SHOWN);
  await page.close();

  const between = times
    .slice(1)
    .map((at, i) => at - times[i]!)
    .toSorted((a, b) => a - b);
  const of = (share: number): number => between[Math.floor(share * (between.length - 1))] ?? 0;
  return {
    seconds: (times.at(-1)! - times[0]!) / 1000,
    frames: times.length,
    trials: after - before,
    medianMs: of(0.5),
    p99Ms: of(0.99),
    cpuMs: sum(tasks),
    longestTaskMs: Math.max(0, ...tasks),
    tasksAboveFrame: tasks.filter((ms) => ms > FRAME_MS).length,
    caughtUpCpuMs: sum(opened),
    caughtUpTaskMs: Math.max(0, ...opened),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Until the number of trials no longer leaps. */
async function caughtUp(page: Page): Promise<void> {
  let [shown, before] = [0, -1];
  while (shown === 0 || shown - before > 0.02 * shown) {
    await sleep(POLL_MS);
    [before, shown] = [shown, await page.evaluate<number>(TRIALS_SHOWN)];
  }
}

/** The tasks of a page's main thread, by the browser's own trace. */
class Trace {
  readonly #session: CDPSession;
  readonly #events: readonly TraceEvent[];

  private constructor(session: CDPSession, events: readonly TraceEvent[]) {
    this.#session = session;
    this.#events = events;
  }

  static async start(page: Page): Promise<Trace> {
    const browser = page.context().browser();
    if (browser === null) throw new Error("the page has no browser of its own");
    const session = await browser.newBrowserCDPSession();
    const events: TraceEvent[] = [];
    session.on("Tracing.dataCollected", ({ value }) => {
      for (const each of value) events.push(traceEvent(each));
    });
    await session.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: { includedCategories: ["toplevel", "__metadata"] },
    });
    return new Trace(session, events);
  }

  /** @returns milliseconds of processor time of each task, of the busiest page */
  async end(): Promise<number[]> {
    const over = new Promise((resolve) => this.#session.once("Tracing.tracingComplete", resolve));
    await this.#session.send("Tracing.end");
    await over;
    await this.#session.detach();
    const byThread = new Map<string, number[]>();
    for (const { threadName, thread } of this.#events) {
      if (threadName === "CrRendererMain") byThread.set(thread, []);
    }
    for (const { name, isWhole, thread, ms } of this.#events) {
      if (isWhole && name.endsWith("RunTask")) byThread.get(thread)?.push(ms);
    }
    return [...byThread.values()].toSorted((a, b) => sum(b) - sum(a))[0] ?? [];
  }
}

interface TraceEvent {
  readonly name: string;
  readonly isWhole: boolean;
  /** Process and thread. */
  readonly thread: string;
  /** Of processor time. */
  readonly ms: number;
  /** Of a thread that is named. */
  readonly threadName: string;
}

/** @param event as the browser's trace has it; times are microseconds */
function traceEvent(event: Readonly<Record<string, unknown>>): TraceEvent {
  const { name, ph, pid, tid, tdur, args } = event;
  const named = typeof args === "object" && args !== null && "name" in args ? args.name : "";
  return {
    name: String(name),
    isWhole: ph === "X",
    thread: `${String(pid)} ${String(tid)}`,
    ms: typeof tdur === "number" ? tdur / 1000 : 0,
    threadName: name === "thread_name" ? String(named) : "",
  };
}
