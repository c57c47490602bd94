/** statsforecast in a Python process, asked by `statsforecast_peer.py`. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("statsforecast_peer.py", import.meta.url));

export interface PeerForecasts {
  /** One list a series. */
  readonly forecasts: readonly (readonly number[])[];
  /** Of CPU. */
  readonly seconds: number;
  /** Series that the model refused, forecast by the seasonal naive method. */
  readonly refused: number;
}

export class StatsforecastProcess {
  readonly version: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    child: ChildProcessWithoutNullStreams,
    lines: AsyncIterator<string>,
    version: string,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.version = version;
  }

  /** Null where `python` cannot be started or has no statsforecast. */
  static async start(python: string): Promise<StatsforecastProcess | null> {
    const child = spawn(python, ["-W", "ignore", SCRIPT]);
    child.stderr.resume();
    child.stdin.on("error", () => child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const couldNotStart = new Promise<null>((resolve) => child.once("error", () => resolve(null)));
    child.stdin.write('{"command":"hello"}\n');
    const hello = await Promise.race([couldNotStart, lines.next()]);
    if (hello === null || hello.done) return null;
    const answer: Record<string, unknown> = JSON.parse(hello.value);
    return new StatsforecastProcess(child, lines, String(answer["statsforecast"]));
  }

  async forecast(
    model: string,
    season: number,
    horizon: number,
    histories: readonly Float64Array[],
  ): Promise<PeerForecasts> {
    const series = histories.map((history) => [...history]);
    const request = { command: "forecast", model, season, horizon, series };
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines.next();
    if (line.done) throw new Error("statsforecast's process ended.");
    const answer: PeerForecasts = JSON.parse(line.value);
    return answer;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await ended;
  }
}
