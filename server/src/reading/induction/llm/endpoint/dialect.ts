/**
 * What an endpoint takes of a chat request. "OpenAI-compatible" says little: some know no JSON
 * schema, some no JSON mode, some no seed, and some models no temperature. What an endpoint refuses
 * with a 400 is left out from then on.
 */

import { BadRequestError, UnprocessableEntityError } from "openai";

export interface Dialect {
  /** `schema`: an answer held to a JSON schema; `json`: to JSON; `text`: told only in words. */
  readonly form: "schema" | "json" | "text";
  readonly seed: boolean;
  readonly temperature: boolean;
  readonly tokens: "max_tokens" | "max_completion_tokens";
}

export const FULL_DIALECT: Dialect = {
  form: "schema",
  seed: true,
  temperature: true,
  tokens: "max_tokens",
};

/** The dialect to try next after the endpoint refused a request in this one; null: none is left. */
export function simpler(dialect: Dialect, error: unknown): Dialect | null {
  if (!(error instanceof BadRequestError || error instanceof UnprocessableEntityError)) return null;
  // The parameter's name is looked for in the answer, and nothing else of it is used.
  const said = `${error.param ?? ""} ${error.message}`.toLowerCase();
  if (dialect.tokens === "max_tokens" && /max_(completion_)?tokens/.test(said)) {
    return { ...dialect, tokens: "max_completion_tokens" };
  }
  if (dialect.temperature && said.includes("temperature"))
    return { ...dialect, temperature: false };
  if (dialect.seed && /\bseed\b/.test(said)) return { ...dialect, seed: false };
  if (dialect.form === "schema") return { ...dialect, form: "json" };
  if (dialect.form === "json") return { ...dialect, form: "text" };
  if (dialect.seed || dialect.temperature) return { ...dialect, seed: false, temperature: false };
  return null;
}
