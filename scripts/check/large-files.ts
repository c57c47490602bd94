/** What git keeps: nothing large, since every clone carries it for good. */

import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const MOST_BYTES = 2 * 2 ** 20;

/** A fault for each file that git knows and that is larger than 2 MiB; a folder that is no repository has none. */
export function largeFileFaults(root: string): string[] {
  if (!existsSync(join(root, ".git"))) return [];
  // Whoever owns the folder: nothing of it is run.
  const list = ["-c", "safe.directory=*", "ls-files", "-z"];
  const listed = execFileSync("git", list, { cwd: root, encoding: "utf8" });
  return listed
    .split("\0")
    .filter((path) => path !== "")
    .flatMap((path) => {
      const size = statSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0;
      if (size <= MOST_BYTES) return [];
      return [`${path} has ${(size / 2 ** 20).toFixed(1)} MiB: files in git have 2 at most.`];
    });
}
