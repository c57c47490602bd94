/**
 * Finds time limits that a test names for itself. `vitest.config.ts` has one for all, long enough for a
 * machine that others use; a shorter one fails there, where nothing is wrong, and a longer one is not needed.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS: readonly string[] = ["engine", "server", "test", "scripts", "bench"];
const SKIPPED = /(^|\/)(node_modules|dist|html|assembly)\//;

/** Lines, from 1. As Biome formats: the last argument of a test, and what `vi.waitFor` is given up after. */
export function ownLimits(source: string): number[] {
  const limits = /^ *\}, [1-9][\d_]{3,}\);$|^ +\},\n +[1-9][\d_]{3,},\n +\);$|\bvi\.wait\w+\(/gm;
  return [...source.matchAll(limits)].map(({ index }) => source.slice(0, index).split("\n").length);
}

/** One sentence for each place. */
export function testLimitFaults(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".test.ts") && !SKIPPED.test(path))
      .sort()
      .flatMap((path) =>
        ownLimits(readFileSync(join(root, path), "utf8")).map(
          (line) =>
            `${path}:${line} has a time limit of its own. Leave it out (vitest.config.ts has one for all), and await what is to come by expect.poll.`,
        ),
      ),
  );
}
