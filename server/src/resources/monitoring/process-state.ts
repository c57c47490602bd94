/** What the process is at: time, memory and the delay of its event loop, under the names that dashboards know. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { API_VERSION } from "../../api/http/document/openapi.ts";
import type { Family } from "./exposition.ts";

/** Delays are those of at least the last window, and of two at most. */
const WINDOW_MS = 15_000;
/** How often the loop is looked at; what is recorded is the time between two looks. */
const RESOLUTION_MS = 20;

interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export class ProcessState {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #clock: NodeJS.Timeout;
  #before: Delays = { p50: 0, p99: 0, max: 0 };

  constructor() {
    this.#histogram.enable();
    this.#clock = setInterval(() => {
      this.#before = this.#delays();
      this.#histogram.reset();
    }, WINDOW_MS);
    this.#clock.unref();
  }

  close(): void {
    clearInterval(this.#clock);
    this.#histogram.disable();
  }

  families(): Family[] {
    const { user, system } = process.cpuUsage();
    const memory = process.memoryUsage();
    const now = this.#delays();
    const delay = (name: keyof Delays): number => Math.max(now[name], this.#before[name]);
    const started = Date.now() / 1000 - process.uptime();
    const gauge = (name: string, help: string, value: number): Family => ({
      name,
      help,
      type: "gauge",
      samples: [[{}, value]],
    });
    return [
      {
        name: "distillery_build_info",
        help: "1, with the version of the service.",
        type: "gauge",
        samples: [[{ version: API_VERSION, node: process.version }, 1]],
      },
      {
        name: "process_cpu_seconds_total",
        help: "Processor time of the process with all its threads.",
        type: "counter",
        samples: [[{}, (user + system) / 1e6]],
      },
      gauge("process_start_time_seconds", "Start of the process since 1970.", started),
      gauge("process_resident_memory_bytes", "Resident memory of the process.", memory.rss),
      gauge(
        "nodejs_heap_size_used_bytes",
        "Heap that the main thread's objects use.",
        memory.heapUsed,
      ),
      gauge("nodejs_heap_size_total_bytes", "Heap of the main thread.", memory.heapTotal),
      gauge("nodejs_external_memory_bytes", "Buffers outside the heap.", memory.external),
      gauge("nodejs_eventloop_lag_p50_seconds", "Median delay of the event loop.", delay("p50")),
      gauge("nodejs_eventloop_lag_p99_seconds", "Its 99th percentile.", delay("p99")),
      gauge("nodejs_eventloop_lag_max_seconds", "The longest delay of it.", delay("max")),
    ];
  }

  /** Seconds; a percentile of nothing is 0. */
  #delays(): Delays {
    const histogram = this.#histogram;
    if (histogram.count === 0) return { p50: 0, p99: 0, max: 0 };
    const late = (nanoseconds: number): number =>
      Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) / 1000;
    return {
      p50: late(histogram.percentile(50)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
    };
  }
}
