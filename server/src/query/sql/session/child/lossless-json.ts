/**
 * DuckDB's JSON, whose integers may be larger than a double holds, and whose doubles may be none that
 * JSON has: those become texts.
 */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json };
export type JsonObject = { readonly [member: string]: Json };

/** A text, which stays as it is, or a double that DuckDB writes bare. */
const TEXT_OR_BARE = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|-?\bNaN\b/g;

export function parseLossless(text: string): Json {
  const json = /Infinity|NaN/.test(text)
    ? text.replace(TEXT_OR_BARE, (part) => (part.startsWith('"') ? part : `"${part}"`))
    : text;
  return JSON.parse(json, (_key, value: Json, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && Number.isInteger(value)
      ? (context?.source ?? value)
      : value,
  );
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Objects within objects of a JSON text, which `parseLossless` goes through by recursion. */
export function objectDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === OPEN) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE) depth--;
    else if (code === QUOTE) {
      at++;
      for (let inner = json.charCodeAt(at); inner !== QUOTE && at < json.length; ) {
        at += inner === BACKSLASH ? 2 : 1;
        inner = json.charCodeAt(at);
      }
    }
  }
  return deepest;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

export const objectsOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** An integer written as a number or as a text; null where it is neither. */
export function integerOf(value: Json | undefined): bigint | null {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : null;
  return typeof value === "string" && /^-?\d+$/.test(value) ? BigInt(value) : null;
}
