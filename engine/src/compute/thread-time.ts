/** What the calling thread has worked, by the processor's clock. */

import process from "node:process";

/** Milliseconds; null before Node 22.16, which first tells it. */
export function threadProcessorTime(): number | null {
  if (!("threadCpuUsage" in process)) return null;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
