/**
 * Reads a zod schema from outside: what stands at a path, whether it is secret, whether it takes
 * integers. The 422 mapper and the parameter parser need no more than this of zod's inside.
 */
import { z } from "zod";

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes["_zod"]["def"];

const defOf = (schema: Schema): Def => (schema as z.core.$ZodTypes)._zod.def;

/**
 * Marks a member whose value must never be echoed or logged, as `writeOnly` alone does. It becomes `writeOnly` with format
 * `password` in the OpenAPI document.
 */
export const secret = <T extends z.ZodType>(schema: T): T =>
  schema.meta({ ...schema.meta(), writeOnly: true, format: "password" }) as T;

const isMarkedSecret = (schema: Schema): boolean =>
  z.globalRegistry.get(schema)?.["writeOnly"] === true;

/** The schema's alternatives without their wrappers; more than one for a union. */
export function alternatives(schema: Schema, depth = 0): Schema[] {
  if (depth > 16) return [];
  const def = defOf(schema);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
    case "nonoptional":
    case "catch":
      return alternatives(def.innerType, depth + 1);
    case "pipe":
      // What a preprocessing function makes is what has members.
      return alternatives(defOf(def.in).type === "transform" ? def.out : def.in, depth + 1);
    case "lazy":
      return alternatives(def.getter(), depth + 1);
    case "union":
      return def.options.flatMap((option) => alternatives(option, depth + 1));
    case "intersection":
      return [...alternatives(def.left, depth + 1), ...alternatives(def.right, depth + 1)];
    default:
      return [schema];
  }
}

/** The member schemas of `schema` under `key`, their wrappers still on. */
function members(schema: Schema, key: PropertyKey): Schema[] {
  return alternatives(schema).flatMap((alternative): Schema[] => {
    const def = defOf(alternative);
    switch (def.type) {
      case "object": {
        const member =
          typeof key === "string" && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        return member === undefined ? [] : [member];
      }
      case "record":
        return [def.valueType];
      case "array":
        return [def.element];
      case "tuple": {
        const item = typeof key === "number" ? (def.items[key] ?? def.rest) : null;
        return item == null ? [] : [item];
      }
      default:
        return [];
    }
  });
}

/** Every schema that may stand at `path`, wrappers still on. */
export function schemasAt(schema: Schema, path: readonly PropertyKey[]): Schema[] {
  return path.reduce<Schema[]>((level, key) => level.flatMap((one) => members(one, key)), [schema]);
}

/** The members that objects of these schemas may have, each once, in the order of the schemas. */
export function memberNames(schemas: readonly Schema[]): string[] {
  const names = schemas.flatMap((schema) =>
    alternatives(schema).flatMap((alternative) => {
      const def = defOf(alternative);
      return def.type === "object" ? Object.keys(def.shape) : [];
    }),
  );
  return [...new Set(names)];
}

/** Of those, the ones that every such object has to have. */
export function requiredNames(schemas: readonly Schema[]): string[] {
  const names = schemas.flatMap((schema) =>
    alternatives(schema).flatMap((alternative) => {
      const def = defOf(alternative);
      if (def.type !== "object") return [];
      return Object.entries(def.shape).flatMap(([name, member]) =>
        member._zod.optin === undefined ? [name] : [],
      );
    }),
  );
  return [...new Set(names)];
}

function wrappersAreSecret(schema: Schema, depth = 0): boolean {
  if (depth > 16) return false;
  if (isMarkedSecret(schema)) return true;
  const def = defOf(schema);
  if ("innerType" in def) return wrappersAreSecret(def.innerType as Schema, depth + 1);
  if (def.type === "union") return def.options.some((o) => wrappersAreSecret(o, depth + 1));
  if (def.type === "pipe") return wrappersAreSecret(def.in, depth + 1);
  return false;
}

/** Whether the member at `path`, or anything that holds it, is marked secret. */
export function isSecretAt(schema: Schema, path: readonly PropertyKey[]): boolean {
  for (let length = 0; length <= path.length; length++) {
    if (schemasAt(schema, path.slice(0, length)).some((one) => wrappersAreSecret(one))) return true;
  }
  return false;
}

export const isInteger = (schema: Schema): boolean => {
  const def = defOf(schema);
  if (def.type !== "number") return false;
  const formats = [def, ...(def.checks ?? []).map((check) => check._zod.def)];
  return formats.some(
    (one) => "format" in one && typeof one.format === "string" && /int/.test(one.format),
  );
};

/** How the text of a query or header parameter is read. */
export type ParameterKind = "integer" | "number" | "boolean" | "string";

export interface ParameterShape {
  readonly kind: ParameterKind;
  readonly list: boolean;
}

/** A parameter that a text may stand for stays text: only schemas that refuse text are parsed. */
export function parameterShape(schema: Schema): ParameterShape {
  const options = alternatives(schema);
  const list = options.find((option) => defOf(option).type === "array");
  if (list !== undefined) {
    const def = defOf(list);
    if (def.type === "array") return { kind: scalarKind(alternatives(def.element)), list: true };
  }
  return { kind: scalarKind(options), list: false };
}

function scalarKind(options: readonly Schema[]): ParameterKind {
  const types = options.map((option) => defOf(option).type).filter((type) => type !== "null");
  if (types.length > 0 && types.every((type) => type === "number")) {
    return options.some(isInteger) ? "integer" : "number";
  }
  return types.length > 0 && types.every((type) => type === "boolean") ? "boolean" : "string";
}
