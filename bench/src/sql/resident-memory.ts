/**
 * Memory of a process and those that it started, watched from outside (Linux). Pages that several of
 * them share, such as the code of Node, count once: each has its part of them (`Pss`).
 */

import { readdirSync, readFileSync } from "node:fs";

interface ProcessFacts {
  readonly parent: number;
  readonly name: string;
}

/** What a file below /proc says; empty where the process has ended since it was listed. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

const field = (text: string, name: string): string =>
  new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(text)?.[1] ?? "";

/** The process and its descendants; the database's server is left out. */
function family(root: number): number[] {
  const processes = new Map<number, ProcessFacts>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const status = readProcess(Number(entry), "status");
    const name = field(status, "Name");
    if (name !== "postgres")
      processes.set(Number(entry), { parent: Number(field(status, "PPid")), name });
  }
  const isOf = (pid: number): boolean =>
    pid === root || (processes.has(pid) && isOf(processes.get(pid)?.parent ?? 0));
  return [...processes.keys()].filter(isOf);
}

function residentBytes(root: number): number {
  return family(root)
    .map((pid) => 1024 * Number(field(readProcess(pid, "smaps_rollup"), "Pss")))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Runs `work` and samples until it ends. @returns its result and the most bytes seen */
export async function withPeakMemory<Result>(
  root: number,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly peak: number; readonly before: number }> {
  const before = residentBytes(root);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(root));
  }, 50);
  try {
    const result = await work();
    return { result, peak, before };
  } finally {
    clearInterval(timer);
  }
}
