/**
 * What callers name models by. An id: a UUID, or for a document schema what a caller chose. Or a
 * reference, which is an id too, or a name of the registry (its latest completed version), one of its
 * versions (`churn@3`), or an alias (`churn@champion`).
 */

import { z } from "zod";

/** @throws 422 `string_pattern_mismatch` */
export const modelIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  .describe("Letters, digits, `.`, `_` and `-`; the first is a letter or a digit.");

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** A name of the registry as it is given to a model: nothing that could be taken for an id. */
export const modelNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  .refine((name) => !isUuid(name), "a name must not have the form of a UUID, as ids have")
  .describe(
    "Letters, digits, `.`, `_` and `-`; the first is a letter or a digit. Not in the form of a UUID.",
  );

/** What stands for the latest version, as the bare name does. */
export const LATEST = "latest";

/** An alias as it is made: nothing that could be taken for a version. */
export const aliasSchema = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/)
  .refine(
    (alias) => alias.toLowerCase() !== LATEST && !/^v\d+$/i.test(alias),
    "'latest' and 'v' with a number are taken for versions; choose another alias",
  )
  .describe(
    "Letters, digits, `.`, `_` and `-`; the first is a letter. Not `latest`, nor `v` with a number.",
  );

/** What follows the `@`: a version of up to nine digits, or an alias. */
const REFERENCE =
  /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})(?:@(?:([1-9][0-9]{0,8})|([A-Za-z][A-Za-z0-9._-]{0,63})))?$/;

/** Wherever a model is named: an id, a name, `name@version` or `name@alias`. @throws 422 */
export const modelReferenceSchema = z
  .string()
  .regex(REFERENCE)
  .describe(
    "An id, or a name of the registry: `churn` (its latest completed version; `churn@latest` too), `churn@3` (a version) or `churn@champion` (an alias).",
  );

export type ModelReference =
  /** An id, or a name in place of its latest completed version. */
  | { readonly kind: "bare"; readonly text: string }
  | { readonly kind: "latest"; readonly name: string }
  | { readonly kind: "version"; readonly name: string; readonly version: number }
  | { readonly kind: "alias"; readonly name: string; readonly alias: string };

/** Null for what `modelReferenceSchema` does not take. */
export function parseReference(text: string): ModelReference | null {
  const [, name, version, alias] = REFERENCE.exec(text) ?? [];
  if (name === undefined) return null;
  if (version !== undefined) return { kind: "version", name, version: Number(version) };
  if (alias === undefined) return { kind: "bare", text: name };
  return alias === LATEST ? { kind: "latest", name } : { kind: "alias", name, alias };
}

/** Whether it means the latest version of a name, or none of this module's forms. */
export function isLatest(text: string): boolean {
  const reference = parseReference(text);
  return (
    reference === null ||
    reference.kind === "latest" ||
    (reference.kind === "bare" && !isUuid(text))
  );
}

/** As it is written: `churn@champion`. */
export const aliasReference = (name: string, alias: string): string => `${name}@${alias}`;
