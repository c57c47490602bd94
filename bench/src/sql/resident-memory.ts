/** Memory of a process and those that it started, watched from outside (Linux). */

import { readdirSync, readFileSync } from "node:fs";

interface ProcessFacts {
  readonly parent: number;
  readonly name: string;
  readonly resident: number;
}

function factsOf(pid: string): ProcessFacts | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string): string =>
      new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1] ?? "";
    return {
      parent: Number(field("PPid")),
      name: field("Name"),
      resident: Number(field("VmRSS")) * 1024,
    };
  } catch {
    return null; // It has ended since it was listed.
  }
}

/** Bytes resident of a process and its descendants; the database's server is left out. */
function residentBytes(root: number): number {
  const processes = new Map<number, ProcessFacts>();
  for (const name of readdirSync("/proc")) {
    const facts = /^\d+$/.test(name) ? factsOf(name) : null;
    if (facts !== null && facts.name !== "postgres") processes.set(Number(name), facts);
  }
  const isOf = (pid: number): boolean =>
    pid === root || (processes.has(pid) && isOf(processes.get(pid)?.parent ?? 0));
  let sum = 0;
  for (const [pid, { resident }] of processes) if (isOf(pid)) sum += resident;
  return sum;
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
  }, 20);
  try {
    const result = await work();
    return { result, peak, before };
  } finally {
    clearInterval(timer);
  }
}
