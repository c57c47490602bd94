/** Whether an error says that a disk has no room left, whatever wrapped it. */

/** As systems say it, and as PostgreSQL does. */
const CODES = new Set(["ENOSPC", "EDQUOT", "53100"]);

/** A disk was found full by other means than a system's error. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";
  readonly code = "ENOSPC";
}

export const DISK_FULL =
  "The disk of the service is full; nothing was kept. Whoever runs the service has to make room there.";

export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string" && CODES.has(at.code)) return true;
  }
  return false;
}
