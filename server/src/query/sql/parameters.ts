/** A request's parameters against those that its statement has. */

import { type QueryParameter, type QueryParameters, SqlError } from "./query.ts";
import type { BoundParameter, BoundParameters } from "./session/messages.ts";

/** Of a HUGEINT, the widest integer that DuckDB compares. */
const LARGEST = 2n ** 127n - 1n;

/**
 * @param written the statement's parameters as they are written: "1", "2", … or names
 * @returns a value for each of them
 * @throws SqlError invalid, naming the parameter that is missing, too many or too large
 */
export function checkParameters(
  written: readonly string[],
  given: QueryParameters,
): BoundParameters {
  const values = new Map<string, { readonly shown: string; readonly value: QueryParameter }>();
  const entries = isList(given)
    ? given.map((value, index) => [String(index + 1), value] as const)
    : Object.entries(given);
  for (const [name, value] of entries) values.set(name.toLowerCase(), { shown: name, value });
  const bound: Record<string, BoundParameter> = {};
  const missing: string[] = [];
  for (const name of written) {
    const entry = values.get(name.toLowerCase());
    if (entry === undefined) missing.push(`$${name}`);
    else bound[name] = boundOf(entry.shown, entry.value);
    values.delete(name.toLowerCase());
  }
  if (missing.length > 0) {
    throw new SqlError("invalid", `${listed(missing)} of the statement ${have(missing)} no value`);
  }
  if (values.size > 0) {
    const extra = [...values.values()].map(({ shown }) => `$${shown}`);
    throw new SqlError(
      "invalid",
      `${listed(extra)} ${have(extra)} a value and ${extra.length === 1 ? "is" : "are"} not in the statement`,
    );
  }
  return bound;
}

function boundOf(name: string, value: QueryParameter): BoundParameter {
  if (typeof value !== "bigint") return value;
  if (value > LARGEST || value < -LARGEST) {
    throw new SqlError(
      "invalid",
      `Parameter $${name} is an integer of more than 128 bits; send it as a text`,
    );
  }
  return { integer: String(value) };
}

function isList(given: QueryParameters): given is readonly QueryParameter[] {
  return Array.isArray(given);
}

const listed = (names: readonly string[]): string =>
  `Parameter${names.length === 1 ? "" : "s"} ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`;

const have = (names: readonly string[]): string => (names.length === 1 ? "has" : "have");
