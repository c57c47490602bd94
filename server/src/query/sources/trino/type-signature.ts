/** A type as Trino's answers have it: a name and parameters that are types, members or numbers. */

export interface TypeSignature {
  /** Such as `varchar`, `timestamp with time zone`, `row`. */
  readonly name: string;
  /** Length, precision, or precision and scale. */
  readonly numbers: readonly number[];
  /** Of an array, its items; of a map, its keys and values. */
  readonly types: readonly TypeSignature[];
  /** Of a row; a member without a name has null. */
  readonly members: readonly { readonly name: string | null; readonly type: TypeSignature }[];
}

const MAX_DEPTH = 64;

/** Null where the value is not a signature. */
export function readSignature(value: unknown, depth = 0): TypeSignature | null {
  if (!isObject(value) || depth > MAX_DEPTH) return null;
  const { rawType, arguments: parameters } = value;
  if (typeof rawType !== "string" || !Array.isArray(parameters)) return null;
  const numbers: number[] = [];
  const types: TypeSignature[] = [];
  const members: { name: string | null; type: TypeSignature }[] = [];
  for (const parameter of parameters) {
    if (!isObject(parameter)) return null;
    const { kind, value: inner } = parameter;
    if (kind === "LONG" && typeof inner === "number") numbers.push(inner);
    else if (kind === "TYPE" || kind === "TYPE_SIGNATURE") {
      const type = readSignature(inner, depth + 1);
      if (type === null) return null;
      types.push(type);
    } else if (kind === "NAMED_TYPE" || kind === "NAMED_TYPE_SIGNATURE") {
      if (!isObject(inner)) return null;
      const type = readSignature(inner["typeSignature"], depth + 1);
      if (type === null) return null;
      const field = inner["fieldName"];
      const name = isObject(field) ? field["name"] : field;
      members.push({ name: typeof name === "string" ? name : null, type });
    } else if (kind !== "VARIABLE") return null;
  }
  return { name: rawType, numbers, types, members };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
