/** A small value that a JSON Schema of the service's document takes: what is required, no more. */

import type { Schema } from "./operation-coverage.ts";

/** Texts that some pattern of the interface may ask for; the first that fits is taken. */
const TEXTS = [
  "absent",
  "00000000-0000-4000-8000-000000000000",
  "workspaces/absent",
  "workspaces/absent/connectors/absent",
  "workspaces/absent/catalogs/absent",
  "workspaces/absent/catalogs/absent/schemas/absent",
  "workspaces/absent/catalogs/absent/schemas/absent/tables/absent",
  "s3://absent/path/",
  "postgres://absent.example:5432/absent",
  "2024-02-29T10:00:00Z",
  "1",
] as const;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

const schemasOf = (value: unknown): Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];

export class SchemaSampler {
  readonly #document: unknown;

  /** @param document what `$ref`s point into */
  constructor(document: unknown) {
    this.#document = document;
  }

  /** `schema` with its references followed. */
  resolve(schema: Schema): Schema {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    const target = reference
      .split("/")
      .slice(1)
      .reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), this.#document);
    if (!isSchema(target)) throw new Error(`${reference} is not in the document`);
    return this.resolve(target);
  }

  sample(unresolved: Schema): unknown {
    const schema = this.resolve(unresolved);
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return schema["enum"][0];
    const [choice] = schemasOf(schema["anyOf"] ?? schema["oneOf"]);
    if (choice) return this.sample(choice);
    const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
    switch (type) {
      case "object":
        return this.#object(schema);
      case "array": {
        const { items, minItems } = schema;
        return Array.from({ length: Number(minItems ?? 0) }, () =>
          this.sample(isSchema(items) ? items : {}),
        );
      }
      case "integer":
      case "number":
        return Number(schema["minimum"] ?? Number(schema["exclusiveMinimum"] ?? 0) + 1);
      case "boolean":
        return false;
      case "string":
        return sampleText(schema);
      default:
        return null;
    }
  }

  #object(schema: Schema): Record<string, unknown> {
    const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
    return Object.fromEntries(
      required.map((name) => {
        const member = properties[name];
        return [name, this.sample(isSchema(member) ? member : {})];
      }),
    );
  }
}

function sampleText({ pattern, minLength, format }: Schema): string {
  const expression = typeof pattern === "string" ? new RegExp(pattern, "u") : /^/;
  const texts = format === "uuid" ? TEXTS.slice(1) : TEXTS;
  const found = texts.find(
    (text) => expression.test(text) && text.length >= Number(minLength ?? 0),
  );
  if (found === undefined) throw new Error(`no sample is known for the pattern ${pattern}`);
  return found;
}
