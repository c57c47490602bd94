/** What is wrong with the shape of a run's configuration, in words. */

import { z } from "zod";
import { theClosest } from "../data/readers/column-names.ts";
import { shown } from "../data/shown.ts";
import { type RunConfig, runConfigSchema } from "./config.ts";
import { ConfigError } from "./errors.ts";

/**
 * @param config what a program gave, of whatever type
 * @throws {ConfigError} naming each member that is wrong; its path is the first one's, its cause zod's error
 */
export function parseRunConfig(config: unknown): RunConfig {
  const parsed = runConfigSchema.safeParse(config);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const faults = issues.map((issue) => {
    const place = z.core.toDotPath(issue.path);
    return place === "" ? faultOf(issue) : `${place}: ${faultOf(issue)}`;
  });
  const path = (issues[0]?.path ?? []).filter((part) => typeof part !== "symbol");
  throw new ConfigError(path, faults.join("; "), parsed.error);
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys" || issue.path.length > 0) return issue.message;
  const members = Object.keys(runConfigSchema.in.shape);
  return issue.keys
    .map((key) => `there is no member ${shown(key)}; ${theClosest(key, members)}`)
    .join("; ");
}
