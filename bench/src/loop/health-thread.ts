/** A thread that asks `/healthz` again and again, whatever the thread beside it is busy with. */

import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const PAUSE_MS = 10;

const { url }: { url: string } = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const answer = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    request(`${url}/healthz`, { agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - begun));
    })
      .on("error", reject)
      .end();
  });

let latencies: number[] = [];
parentPort?.on("message", () => {
  parentPort?.postMessage(latencies);
  latencies = [];
});

for (;;) {
  latencies.push(await answer());
  await sleep(PAUSE_MS);
}
