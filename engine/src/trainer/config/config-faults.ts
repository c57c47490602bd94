/** What is wrong with the shape of a run's configuration, in words. */

import { z } from "zod";
import { theClosest } from "../../data/readers/column-names.ts";
import { shown } from "../../data/shown.ts";
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
    if (place !== "") return `${place}: ${faultOf(issue)}`;
    return issue.code === "invalid_type"
      ? `The configuration is no object: give \`{ task: { taskKind, labelColumn } }\`, with what else is asked.`
      : faultOf(issue);
  });
  const path = (issues[0]?.path ?? []).filter((part) => typeof part !== "symbol");
  throw new ConfigError(path, faults.join("; "), parsed.error);
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const members = membersAt(runConfigSchema, issue.path);
  if (members.length === 0) return issue.message;
  return issue.keys
    .map((key) => `there is no member ${shown(key)}; ${theClosest(key, members)}`)
    .join("; ");
}

/** The members that the configuration has at a place; none where it names them freely. */
function membersAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodPipe) return membersAt(schema.in, path);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return membersAt(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => membersAt(option, path));
  }
  const [key, ...rest] = path;
  if (schema instanceof z.ZodArray) return key === undefined ? [] : membersAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return key === undefined ? Object.keys(schema.shape) : membersAt(schema.shape[String(key)], rest);
}
