/**
 * Resident memory and processor time of another process, where the system shows them as files (Linux). Elsewhere a
 * process is bounded by its own account of its memory, and by the clock, alone.
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

/** Of its clock, in which the system counts: a hundred a second wherever Node runs. */
const TICK_MS = 10;
/** Behind the name in brackets, which may have anything in it. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];

/** Milliseconds of processor time of all its threads so far, or null where the system does not tell or it is gone. */
export async function processorMs(pid: number): Promise<number | null> {
  if (process.platform !== "linux") return null;
  try {
    const text = await readFile(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS;
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
