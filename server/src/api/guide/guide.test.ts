/** The whole document: that nothing in it is without words, and that its examples are taken. */

import { FAMILIES } from "@distillery/engine";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { appRouter, rawRoutes } from "../../router.ts";
import { openApiDocument } from "../http/document/openapi.ts";
import { collectRoutes } from "../http/routing/routes.ts";
import ANSWERS from "./answers.json" with { type: "json" };
import { EXAMPLES } from "./examples.ts";
import { GUIDE } from "./guide.ts";
import { TERMS } from "./terms.ts";

const routes = collectRoutes(appRouter, rawRoutes);
// Through JSON, as clients get it.
const document = JSON.parse(JSON.stringify(openApiDocument(routes, { guide: GUIDE })));

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly $ref?: string;
  readonly [keyword: string]: unknown;
}
interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >;
}
const operations = Object.values(document.paths).flatMap((item) =>
  Object.values(item as Record<string, Operation>),
);

/** Members without a description, and the names that were met. */
function wordless(schema: unknown, path: string, names: Set<string>): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => wordless(one, path, names));
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, ...rest } = schema as Schema;
  const own = Object.entries(properties).flatMap(([name, member]) => {
    names.add(name);
    const at = `${path}.${name}`;
    const bare = member.description === undefined && member.$ref === undefined;
    return [...(bare ? [at] : []), ...wordless(member, at, names)];
  });
  const nested = ["items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems"];
  return [...own, ...nested.flatMap((keyword) => wordless(rest[keyword], path, names))];
}

/** Says what a JSON Schema of the document has against a value. */
function judgeOf(components: object): (schema: Schema, value: unknown) => readonly string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return (schema, value) => {
    const validate = ajv.compile({ ...schema, components });
    validate(value);
    return (validate.errors ?? []).map((fault) => `${fault.instancePath} ${fault.message}`);
  };
}

describe("the document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it("describes every member and every parameter, and no more", () => {
    const names = new Set<string>();
    const bare = [
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
        wordless(schema, name, names),
      ),
      ...operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => {
        for (const { name } of parameters) names.add(name);
        const bodies = [requestBody, ...Object.values(responses)].flatMap((holder) =>
          Object.values(holder?.content ?? {}),
        );
        return [
          ...parameters.flatMap(({ name, description }) =>
            description === undefined ? [`${operationId}?${name}`] : [],
          ),
          ...bodies.flatMap(({ schema }) => wordless(schema, operationId, names)),
        ];
      }),
    ];
    expect(bare).toEqual([]);
    const unused = Object.keys(TERMS).filter((term) => !names.has(term.split(".").at(-1) ?? ""));
    expect(unused).toEqual([]);
  });

  it("has an example of every body that is taken, and operations take them", () => {
    const bare = operations.flatMap(({ operationId, requestBody }) =>
      Object.entries(requestBody?.content ?? {}).flatMap(([type, { example }]) =>
        example === undefined ? [`${operationId} ${type}`] : [],
      ),
    );
    expect(bare).toEqual([]);
    for (const route of routes) {
      const example = EXAMPLES[route.id]?.["application/json"];
      if (example === undefined) continue;
      const described =
        route.kind === "raw"
          ? route.raw.request?.content["application/json"]?.schema
          : route.parts.body;
      if (described === undefined || !("safeParse" in described)) continue;
      if (typeof described.safeParse !== "function") continue;
      expect([route.id, described.safeParse(example).error ?? null]).toEqual([route.id, null]);
    }
  });

  it("has an example of every JSON body that is answered, and schemas accept them", () => {
    const judge = judgeOf(document.components);
    const bare: string[] = [];
    const faults: unknown[] = [];
    const successes = new Set<string>();
    const look = (name: string, type: string, { schema, example }: Media): void => {
      if (!/[/+]json$/.test(type)) return;
      if (example === undefined) bare.push(name);
      else faults.push(...judge(schema ?? {}, example).map((fault) => [name, fault]));
    };
    for (const { operationId, responses } of operations) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (!status.startsWith("2")) continue;
        successes.add(operationId);
        for (const [type, media] of Object.entries(content)) look(operationId, type, media);
      }
    }
    const shared: Readonly<Record<string, { content: Readonly<Record<string, Media>> }>> =
      document.components.responses;
    for (const [name, { content }] of Object.entries(shared)) {
      for (const [type, media] of Object.entries(content)) look(name, type, media);
    }
    expect(bare).toEqual([]);
    expect(faults).toEqual([]);
    expect(Object.keys(ANSWERS).filter((id) => !successes.has(id))).toEqual([]);
  });

  it("begins with training and models, and says every area in words", () => {
    const names = document.tags.map(({ name }: { name: string }) => name);
    expect(names.slice(0, 2)).toEqual(["Training", "Models"]);
    expect(new Set(names)).toEqual(new Set(operations.flatMap(({ tags }) => tags)));
    expect(document.info.description).toContain("POST /v1/trainer/run");
  });

  it("lists the names of metrics and families where a run takes them", () => {
    const body = document.paths["/v1/trainer/run"].post.requestBody.content["application/json"];
    const listOf = (schema: Schema): readonly string[] => {
      const text = JSON.stringify(schema);
      const found = /"enum":(\[[^\]]*\])/.exec(text)?.[1] ?? "[]";
      return JSON.parse(found);
    };
    const { metrics, model_families } = body.schema.properties;
    expect(listOf(metrics)).toContain("roc_auc");
    expect(listOf(model_families)).toContain("gbdt");
    expect(listOf(model_families)).toEqual(FAMILIES.map(({ id }) => id));
  });
});
