/**
 * Loaded into a server before all else (`--import`): writes down each time that its loop was held, with
 * the processor time that the thread took meanwhile. On a busy machine the wall time says how long the
 * machine let it wait; the processor time says what the server did without looking up.
 *
 * Each line of the file that `LOOP_WATCH_FILE` names: `{"at", "wallMs", "cpuMs"}`, `at` in epoch ms.
 */

import { appendFileSync } from "node:fs";
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const TICK_MS = 4;
/** Of processor time; what is shorter holds nobody up. */
const LEAST_MS = 8;

const file = process.env["LOOP_WATCH_FILE"];
if (isMainThread && file !== undefined) {
  let at = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(cpu);
    const cpuMs = (user + system) / 1000;
    if (cpuMs >= LEAST_MS) {
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), wallMs: now - at, cpuMs })}\n`);
    }
    at = performance.now();
    cpu = process.threadCpuUsage();
  }, TICK_MS).unref();
}
