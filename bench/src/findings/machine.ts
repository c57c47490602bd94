/** Where and of what a figure was measured: without it, no figure says anything. */

import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import process from "node:process";

export interface Machine {
  readonly processor: string;
  readonly threads: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() || "unknown",
    threads: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}

export function describeMachine({
  processor,
  threads,
  memoryBytes,
  system,
  node,
}: Machine): string {
  const memory = Math.round(memoryBytes / 2 ** 30);
  return `${processor}, ${threads} threads, ${memory} GiB, ${system}, Node ${node.slice(1)}`;
}

/** Of this checkout, with a mark where files differ from it; null outside of a repository. */
export function thisCommit(): string | null {
  try {
    const git = (...words: string[]): string =>
      execFileSync("git", words, { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" });
    const commit = git("rev-parse", "--short=10", "HEAD").trim();
    return git("status", "--porcelain").trim() === "" ? commit : `${commit} and changes`;
  } catch {
    return null;
  }
}

/** Processes that wanted to run in the last minute; what else runs makes figures worth less. */
export function load(): number {
  return loadavg()[0];
}
