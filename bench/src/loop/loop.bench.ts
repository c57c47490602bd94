/**
 * Whether the service answers while it works: `/healthz` asked all the while that heavy and hostile
 * requests come, and how long at a time they held the server's loop.
 */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { withService } from "../service.ts";
import { textTable } from "../text-table.ts";
import { makeTraffic } from "./traffic.ts";

const WATCH = fileURLToPath(new URL("loop-watch.ts", import.meta.url));
const HEALTH = new URL("health-thread.ts", import.meta.url);

interface Hold {
  readonly at: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

export async function benchLoop(
  quick: boolean,
  only: readonly string[],
  print: (text: string) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "distillery-loop-"));
  const file = join(folder, "holds");
  await writeFile(file, "");
  const env = { LOOP_WATCH_FILE: file, DISTILLERY_WORKERS: "2" };
  try {
    await withService(
      env,
      async (server) => {
        const health = new Worker(HEALTH, { workerData: { url: server.url } });
        const latencies = (): Promise<number[]> =>
          new Promise((resolve) => {
            health.once("message", resolve);
            health.postMessage("give");
          });
        const rows: string[][] = [];
        for (const { name, run } of await makeTraffic({ server, quick })) {
          if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
          await latencies();
          const begun = Date.now();
          const answer = await run().catch((error: unknown) => String(error).slice(0, 100));
          // The loop is held for as long as what it says of it.
          await sleep(50);
          const seconds = (Date.now() - begun) / 1000;
          const asked = await latencies();
          const holds = (await readFile(file, "utf8"))
            .split("\n")
            .filter(Boolean)
            .map((line): Hold => JSON.parse(line))
            .filter(({ at }) => at >= begun);
          const cpu = holds.map(({ cpuMs }) => cpuMs).toSorted((a, b) => b - a);
          rows.push([
            name,
            seconds.toFixed(2),
            Math.max(0, ...asked).toFixed(0),
            Math.max(0, ...holds.map(({ wallMs }) => wallMs)).toFixed(0),
            cpu
              .slice(0, 3)
              .map((ms) => ms.toFixed(0))
              .join(" "),
            answer,
          ]);
          print(`${rows.at(-1)?.join(" | ")}\n`);
        }
        await health.terminate();
        const header = [
          "",
          "s",
          "/healthz, worst ms",
          "loop held, wall ms",
          "processor ms, longest three",
          "answer",
        ];
        print(`\nThe loop under traffic\n${textTable(header, rows)}\n`);
      },
      ["--import", WATCH],
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
