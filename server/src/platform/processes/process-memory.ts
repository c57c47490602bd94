/**
 * Resident memory of another process, where the system shows it as a file (Linux). Elsewhere a
 * process is bounded by its own account of its memory alone.
 */

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";

/** Of every Linux that Node runs on here: x64, and arm64 with its usual kernels. */
const PAGE_BYTES = 4096;

/** Bytes, or null where the system does not tell or the process is gone. */
export async function residentBytes(pid: number): Promise<number | null> {
  if (process.platform !== "linux") return null;
  try {
    const [, resident] = (await readFile(`/proc/${pid}/statm`, "latin1")).split(" ");
    return Number(resident) * PAGE_BYTES;
  } catch {
    return null;
  }
}

/** Where memory runs out, the system ends this process before the one that started it. */
export async function endFirst(pid: number): Promise<void> {
  if (process.platform !== "linux") return;
  try {
    await writeFile(`/proc/${pid}/oom_score_adj`, "800");
  } catch {
    // Not everywhere may a process be offered; it is a precaution only.
  }
}
