/** The members of `task` that belong to one kind each, as the engine declares them, by their names here. */

import { TASK_FIELDS } from "@distillery/engine";
import { z } from "zod";

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type WireFields = {
  [Name in keyof typeof TASK_FIELDS & string as SnakeCase<Name>]: (typeof TASK_FIELDS)[Name];
};

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const NAMES = Object.keys(TASK_FIELDS);

/** The same schemas under snake_case names, as the type says. */
export const wireTaskFields = Object.fromEntries(
  Object.entries(TASK_FIELDS).map(([name, schema]) => [snakeCase(name), schema]),
) as WireFields;

/** A member of `task` by its name in a request; other names are left as they are. */
export function wireName(name: string): string {
  return NAMES.includes(name) ? snakeCase(name) : name;
}

/** Those of a request's task by the engine's names, unchecked. */
export function givenTaskFields(task: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(NAMES.map((name) => [name, task[snakeCase(name)]]));
}

const fieldsSchema = z.object(TASK_FIELDS);

/** The same of a task that was checked; what is not given is left out. */
export function configTaskFields(
  task: Readonly<Record<string, unknown>>,
): z.input<typeof fieldsSchema> {
  return fieldsSchema.parse(givenTaskFields(task));
}
