/**
 * The engine's members by their names in a request: snake_case, by rule. Bounds and defaults are those
 * of the engine's schemas, which the request's are made of.
 */

import {
  ConfigError,
  DataError,
  distillSchema,
  runConfigMembers,
  TASK_FIELDS,
  taskConfigSchema,
} from "@distillery/engine";
import { z } from "zod";

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type SnakeCased<Shape> = { [Name in keyof Shape & string as SnakeCase<Name>]: Shape[Name] };

/** What a record by snake_case names has of a shape's members. */
type EngineMembers<Shape, Given> = {
  [Name in keyof Shape & string as SnakeCase<Name> extends keyof Given
    ? Name
    : never]: Given[SnakeCase<Name> & keyof Given];
};

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same schemas under snake_case names, as the type says. */
export const snakeCased = <Shape extends z.ZodRawShape>(shape: Shape): SnakeCased<Shape> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [snakeCase(name), schema]),
  ) as SnakeCased<Shape>;

/**
 * A request's members by the engine's names; what it does not give is left to the engine's default.
 *
 * @param shape the engine's members; what `given` has beside them is not looked at
 * @param absent stands for what is not given where the engine's schema takes null as well as nothing
 */
export const engineMembers = <Shape extends z.ZodRawShape, Given extends object>(
  shape: Shape,
  given: Given,
  absent: null | undefined = undefined,
): EngineMembers<Shape, Given> => {
  const members = new Map<string, unknown>(Object.entries(given));
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const value = members.get(snakeCase(name));
      return [name, value === undefined && isNullish(schema) ? absent : value];
    }),
  ) as EngineMembers<Shape, Given>;
};

export const runMembers = snakeCased(runConfigMembers.shape);
export const taskMembers = snakeCased(taskConfigSchema.shape);

const isNullish = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodNullable;

const ENGINE_NAMES: ReadonlySet<string> = new Set(
  [runConfigMembers.shape, taskConfigSchema.shape, distillSchema.shape, TASK_FIELDS].flatMap(
    (shape) => Object.keys(shape),
  ),
);

/** What the engine says of its configuration, where it names members in backquotes, by their names in a request. */
export const inWireNames = (message: string): string =>
  message.replaceAll(/`([A-Za-z]+)`/g, (quoted, name: string) =>
    ENGINE_NAMES.has(name) ? `\`${snakeCase(name)}\`` : quoted,
  );

/** Faults of the configuration and the data as a request knows them; errors of other kinds as they are. */
export function inWireWords(error: unknown): unknown {
  if (!(error instanceof DataError || error instanceof ConfigError)) return error;
  const message = inWireNames(error.message);
  if (message === error.message) return error;
  if (error instanceof ConfigError) return new ConfigError(error.path, message, error);
  const { column, row, member } = error;
  return new DataError(message, {
    ...(column !== undefined && { column }),
    ...(row !== undefined && { row }),
    ...(member !== undefined && { member }),
    cause: error,
  });
}

/** Where the request has what the engine found fault with; names of columns stay as they are. */
export function requestPath(path: readonly (string | number)[]): (string | number)[] {
  const wireName = (name: string): string =>
    name === "warmStart" ? "warm_start_job_ids" : ENGINE_NAMES.has(name) ? snakeCase(name) : name;
  return ["body", ...path.map((part) => (typeof part === "string" ? wireName(part) : part))];
}
