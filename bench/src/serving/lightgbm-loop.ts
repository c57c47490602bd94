/** LightGBM's own times for what the service is asked, from `lightgbm_loop.py`. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const SCRIPT = fileURLToPath(new URL("lightgbm_loop.py", import.meta.url));

const timesSchema = z.object({
  version: z.string(),
  one_p50: z.number(),
  one_p99: z.number(),
  thousand: z.number(),
  hundred_thousand: z.number(),
});

/** In milliseconds. */
export type LightgbmTimes = z.infer<typeof timesSchema>;

/** Null where that Python has no LightGBM; why, is printed. */
export async function lightgbmTimes(
  python: string,
  print: (text: string) => void,
): Promise<LightgbmTimes | null> {
  try {
    const { stdout } = await promisify(execFile)(python, [SCRIPT]);
    return timesSchema.parse(JSON.parse(stdout));
  } catch (error) {
    const [line] = String(error).split("\n").slice(-2);
    print(`\nNot compared: LightGBM (${line})\n`);
    return null;
  }
}
