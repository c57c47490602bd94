/**
 * Between the flat input of a procedure and the parts of a request: which member travels where, from
 * the operation's meta alone. `/v1` validates the parts and joins them; a fault that names a part is
 * brought back to the member for those who call over `/trpc`.
 */
import { z } from "zod";
import type { InputPart, ProcedureMeta } from "./operation.ts";

export type InputParts = Readonly<Partial<Record<InputPart, z.ZodType>>>;
type Shape = Record<string, z.ZodType>;
type Members = Readonly<Record<string, unknown>>;

export interface DividedInput {
  readonly parts: InputParts;
  /** The flat input from parts that their schemas have taken. */
  readonly join: (parts: Readonly<Partial<Record<InputPart, unknown>>>) => Members;
}

const isStrict = (schema: z.ZodObject): boolean => schema.def.catchall?._zod.def.type === "never";

/**
 * Divides an input's members among the parts of a request.
 *
 * @param names those of the path
 * @throws Error that says what of the meta and the input does not agree
 */
export function divideInput(
  input: z.ZodObject,
  names: readonly string[],
  meta: ProcedureMeta,
): DividedInput {
  const shape = input.shape as Shape;
  const members = Object.keys(shape);
  if (members.length > 0 && !isStrict(input)) {
    throw new Error("its input must be a z.strictObject, so that a misspelt member is refused");
  }
  const { query: named = [], headers = {}, body: whole } = meta;
  const missing = names.filter((name) => !members.includes(name));
  if (missing.length > 0) {
    throw new Error(`the path names ${missing.join(", ")}, which the input does not have`);
  }
  const placed = [
    ...names,
    ...named,
    ...Object.values(headers),
    ...(whole === undefined ? [] : [whole]),
  ];
  for (const [at, name] of placed.entries()) {
    if (!members.includes(name)) throw new Error(`its meta names ${name}, which is no member`);
    if (placed.indexOf(name) !== at) throw new Error(`its meta places ${name} twice`);
  }
  for (const header of [
    ...Object.keys(headers),
    ...Object.keys(meta.requestHeaders?.shape ?? {}),
  ]) {
    if (header !== header.toLowerCase())
      throw new Error(`write the header ${header} in lower case`);
  }
  const rest = members.filter((name) => !placed.includes(name));
  const hasBody = meta.method !== "GET" && meta.method !== "DELETE";
  if (!hasBody && whole !== undefined) throw new Error(`a ${meta.method} has no body`);
  if (!hasBody && named.length > 0) throw new Error(`all of a ${meta.method} is query as it is`);
  if (whole !== undefined && rest.length > 0) {
    throw new Error(`${whole} is the whole body; say where ${rest.join(", ")} travels`);
  }
  const pick = (picked: readonly string[]): Shape =>
    Object.fromEntries(
      members.flatMap((name) => (picked.includes(name) ? [[name, shape[name]!]] : [])),
    );
  const inQuery = hasBody ? named : rest;
  const headerShape: Shape = {
    ...(meta.requestHeaders?.shape as Shape | undefined),
    ...Object.fromEntries(Object.entries(headers).map(([header, name]) => [header, shape[name]!])),
  };
  const body = !hasBody
    ? undefined
    : whole !== undefined
      ? shape[whole]
      : bodyOf(input, rest.length === members.length, pick(rest));
  if (body !== input && (input.def.checks ?? []).length > 0) {
    throw new Error("a check of the whole input cannot be divided among its parts: check members");
  }
  return {
    parts: {
      ...(names.length > 0 && { path: z.object(pick(names)) }),
      ...(inQuery.length > 0 && { query: z.strictObject(pick(inQuery)) }),
      ...(Object.keys(headerShape).length > 0 && { header: z.object(headerShape) }),
      ...(body !== undefined && { body }),
    },
    join: joiner(headers, whole),
  };
}

/** An input that is all body is the body itself; else the body takes its name in the document. */
function bodyOf(input: z.ZodObject, all: boolean, rest: Shape): z.ZodType | undefined {
  if (Object.keys(rest).length === 0) return undefined;
  if (all) return input;
  const body = z.strictObject(rest);
  const described = input.meta();
  return described === undefined ? body : body.meta(described);
}

function joiner(
  headers: Readonly<Record<string, string>>,
  whole: string | undefined,
): DividedInput["join"] {
  const fromHeaders = Object.entries(headers);
  return ({ path, query, header, body }) => {
    const joined: Record<string, unknown> = { ...(path as Members), ...(query as Members) };
    for (const [sent, name] of fromHeaders) {
      const value = (header as Members)[sent];
      if (value !== undefined) joined[name] = value;
    }
    if (whole === undefined) Object.assign(joined, body);
    else if (body !== undefined) joined[whole] = body;
    return joined;
  };
}

type Place = readonly (string | number)[];

/** Where a fault of a request's part lies in the flat input. */
export function memberPlace(place: Place, meta: ProcedureMeta | undefined): Place {
  const [part, ...within] = place;
  switch (part) {
    case "path":
    case "query":
      return within;
    case "body":
      return meta?.body === undefined ? within : [meta.body, ...within];
    case "header": {
      const [header, ...inside] = within;
      const member = meta?.headers?.[String(header)];
      return member === undefined ? within : [member, ...inside];
    }
    default:
      return place;
  }
}
