/**
 * The types of the service's procedures, written out as TypeScript from their schemas, for
 * `@distillery/client`: who calls a service has neither its sources nor zod.
 */

import { z } from "zod";
import { appRouter } from "../../server/src/router.ts";

type Schema = z.core.JSONSchema.JSONSchema;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** What zod calls a schema that contains itself and has no id. */
const UNNAMED = /^__schema(\d+)$/;

/** @returns a module that exports `Inputs`, `Outputs`, `Kinds`, and the types that they share, by name */
export function clientTypes(): string {
  const procedures = proceduresOf();
  const inputs = written(procedures, "input");
  const outputs = written(procedures, "output");
  const names = [...inputs.shared.keys()].filter((name) => outputs.shared.has(name));
  if (names.length > 0) {
    throw new Error(`Taken and answered are different types of one name: ${names.join(", ")}.`);
  }
  const shared = [...inputs.shared, ...outputs.shared].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    "/** The service's procedures: what they take, what they answer. Written from their schemas. */",
    ...shared.map(([name, type]) => `export type ${name} = ${type};`),
    `/** What each procedure takes, as one flat object: \`Inputs["models"]["get"]\`. */\nexport interface Inputs ${inputs.tree}`,
    `/** What each procedure answers: \`Outputs["models"]["get"]\`. */\nexport interface Outputs ${outputs.tree}`,
    `/** Whether a procedure is a query or a mutation. */\nexport interface Kinds ${tree(procedures, ({ kind }) => JSON.stringify(kind))}`,
    "",
  ].join("\n\n");
}

interface Procedure {
  readonly router: string;
  readonly name: string;
  readonly kind: string;
  /** Null = it takes nothing. */
  readonly input: z.ZodType | null;
  readonly output: z.ZodType;
}

const definitionSchema = z.object({
  type: z.enum(["query", "mutation"]),
  inputs: z.array(z.instanceof(z.ZodType)).max(1),
  output: z.instanceof(z.ZodType),
});

function proceduresOf(): Procedure[] {
  return Object.entries(appRouter._def.procedures).map(([path, procedure]) => {
    const [router, name] = path.split(".");
    const definition = Reflect.get(procedure, "_def");
    const { type, inputs, output } = definitionSchema.parse(definition);
    return { router, name, kind: type, input: inputs[0] ?? null, output };
  });
}

function written(
  procedures: readonly Procedure[],
  io: "input" | "output",
): { readonly tree: string; readonly shared: ReadonlyMap<string, string> } {
  const members = procedures.flatMap((each): [string, z.ZodType][] => {
    const schema = each[io];
    return schema ? [[`${each.router}.${each.name}`, schema]] : [];
  });
  // In one schema, so that what several share has one name.
  const whole = z.toJSONSchema(z.object(Object.fromEntries(members)), {
    io,
    unrepresentable: "any",
  });
  const printer = new Printer(io);
  const shared = new Map(
    Object.entries(whole.$defs ?? {}).map(([name, schema]) => [
      typeName(name),
      printer.typeOf(schema),
    ]),
  );
  const types = whole.properties ?? {};
  return {
    tree: tree(procedures, ({ router, name }) => {
      const schema = types[`${router}.${name}`];
      return schema === undefined ? "void" : printer.typeOf(schema);
    }),
    shared,
  };
}

function tree(procedures: readonly Procedure[], typeFor: (procedure: Procedure) => string): string {
  const routers = Map.groupBy(procedures, ({ router }) => router);
  return block(
    [...routers].map(
      ([router, members]) =>
        `${router}: ${block(members.map((each) => `${each.name}: ${typeFor(each)};`))};`,
    ),
  );
}

const typeName = (name: string): string => name.replace(UNNAMED, "Nested$1");

/** JSON Schema as TypeScript, for the keywords that zod writes. */
class Printer {
  /** What a member that may be left out may be besides: answers are JSON, which has no undefined. */
  readonly #absent: string;

  constructor(io: "input" | "output") {
    this.#absent = io === "input" ? " | undefined" : "";
  }

  typeOf(schema: Schema | boolean): string {
    if (typeof schema === "boolean") return schema ? "unknown" : "never";
    if (schema.$ref !== undefined) return typeName(schema.$ref.slice("#/$defs/".length));
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
    const arms = schema.anyOf ?? schema.oneOf;
    if (arms !== undefined) return union(arms.map((arm) => this.typeOf(arm)));
    if (schema.allOf !== undefined) {
      return schema.allOf.map((each) => `(${this.typeOf(each)})`).join(" & ");
    }
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => this.typeOf({ ...schema, type })));
    }
    switch (schema.type) {
      case "string":
      case "boolean":
      case "null":
        return schema.type;
      case "number":
      case "integer":
        return "number";
      case "array":
        return this.#arrayOf(schema);
      case "object":
        return this.#objectOf(schema);
      case undefined:
        return "unknown";
      default:
        throw new Error(`There is no type for the schema ${JSON.stringify(schema)}.`);
    }
  }

  #arrayOf({ prefixItems, items, readOnly }: Schema): string {
    const each =
      typeof items === "object" && !Array.isArray(items) ? this.typeOf(items) : "unknown";
    const type = Array.isArray(prefixItems)
      ? `[${prefixItems.map((item) => this.typeOf(item)).join(", ")}]`
      : `${each}[]`;
    return readOnly ? `readonly ${type}` : type;
  }

  #objectOf({ properties, required = [], additionalProperties }: Schema): string {
    const members = Object.entries(properties ?? {}).map(([name, schema]) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      const type = this.typeOf(schema);
      const member = required.includes(name)
        ? `${key}: ${type};`
        : `${key}?: ${type}${this.#absent};`;
      return `${comment(schema)}${member}`;
    });
    const hasOthers =
      typeof additionalProperties === "object" ||
      (members.length === 0 && additionalProperties !== false);
    const others = `{ [key: string]: ${this.typeOf(additionalProperties ?? true)} }`;
    if (members.length === 0) return hasOthers ? others : "{ [key: string]: never }";
    return hasOthers ? `(${block(members)} & ${others})` : block(members);
  }
}

const union = (types: readonly string[]): string => {
  const different = [...new Set(types)];
  return different.length === 1 ? different[0] : `(${different.join(" | ")})`;
};

const block = (lines: readonly string[]): string =>
  `{${lines
    .map((line) => `\n${line}`)
    .join("")
    .replaceAll("\n", "\n  ")}\n}`;

function comment(schema: Schema | boolean): string {
  const text = typeof schema === "object" ? schema.description : undefined;
  // What would end the comment is parted by a space of no width.
  return text === undefined
    ? ""
    : `/** ${text.replaceAll("*/", "*\u200b/").replaceAll("\n", " ")} */\n`;
}
