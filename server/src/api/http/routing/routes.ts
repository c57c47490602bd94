/**
 * The table of `/v1`: every procedure with REST meta and every raw route, checked when the service
 * is assembled, so that a slip in a resource's router stops the start and not a request.
 */
import type { AnyRouter } from "@trpc/server";
import { z } from "zod";
import { type DividedInput, divideInput, type InputParts } from "./input-parts.ts";
import {
  type HttpMethod,
  INPUT_PARTS,
  type Meta,
  type OperationMeta,
  type PathTemplate,
  parsePathTemplate,
} from "./operation.ts";
import type { RawRoute } from "./raw-route.ts";

interface RouteBase {
  readonly id: string;
  readonly method: HttpMethod;
  readonly template: PathTemplate;
  readonly meta: OperationMeta;
  readonly scope: string | null;
  /** The schema of the request in its parts, and the parts. */
  readonly input: z.ZodType;
  readonly parts: InputParts;
}

export interface ProcedureRoute extends RouteBase {
  readonly kind: "procedure";
  readonly procedure: string;
  readonly type: "query" | "mutation";
  /** From the parts of a request to the procedure's input. */
  readonly join: DividedInput["join"];
  /** Of the procedure's own input, whose members have no parts. */
  readonly flat: z.ZodObject;
  readonly output: z.ZodType;
}

export interface RawRouteEntry extends RouteBase {
  readonly kind: "raw";
  readonly raw: RawRoute;
}

export type Route = ProcedureRoute | RawRouteEntry;

/** Reads the table. Throws an error that names the operation and what is wrong with it. */
export function collectRoutes(router: AnyRouter, rawRoutes: readonly RawRoute[]): Route[] {
  const routes: Route[] = [];
  for (const [name, procedure] of Object.entries(router._def.procedures)) {
    const route = procedureRoute(name, procedure);
    if (route !== null) routes.push(route);
  }
  for (const raw of rawRoutes) routes.push(rawEntry(raw));
  const taken = new Map<string, string>();
  for (const route of routes) {
    const shape = `${route.method} ${route.template.document.replace(/\{\w+\}/g, "{}")}`;
    const other = taken.get(shape);
    if (other !== undefined) throw new Error(`${route.id} and ${other} both serve ${shape}`);
    taken.set(shape, route.id);
  }
  return routes;
}

interface ProcedureDefinition {
  readonly type: string;
  readonly meta: Meta | undefined;
  readonly inputs: readonly unknown[];
  readonly output?: unknown;
}

function procedureRoute(name: string, procedure: unknown): ProcedureRoute | null {
  const { type, meta, inputs, output } = (procedure as { _def: ProcedureDefinition })._def;
  if (meta?.openapi === undefined) return null;
  const { openapi } = meta;
  const fail = (why: string): never => {
    throw new Error(`${name} (${openapi.method} ${openapi.path}): ${why}`);
  };
  const expected = openapi.method === "GET" ? "query" : "mutation";
  if (type !== expected) fail(`a ${openapi.method} operation must be a ${expected}`);
  if (inputs.length > 1) fail("one .input() only, so that it can be documented");
  if (!(output instanceof z.ZodType)) return fail("it needs an .output() schema");
  const input = inputs.length === 0 ? z.object({}) : inputs[0];
  if (!(input instanceof z.ZodObject)) return fail("its input must be a z.strictObject");
  if ((openapi.protect ?? true) !== (meta.scope !== undefined)) {
    fail("protect: false is said of public procedures, and of no other");
  }
  const id = openapi.operationId ?? name.replaceAll(".", "_");
  const template = parsePathTemplate(openapi.path);
  const { parts, join } = dealt(() => divideInput(input, template.names, openapi), fail);
  return {
    id,
    method: openapi.method,
    template,
    meta: openapi,
    scope: meta.scope ?? null,
    input: z.object(parts),
    parts,
    kind: "procedure",
    procedure: name,
    type: expected,
    join,
    flat: input,
    output,
  };
}

function dealt(deal: () => DividedInput, fail: (why: string) => never): DividedInput {
  try {
    return deal();
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function rawEntry(raw: RawRoute): RawRouteEntry {
  const { operation: meta, input } = raw;
  const id = meta.operationId ?? `${meta.method} ${meta.path}`;
  const fail = (why: string): never => {
    throw new Error(`${id} (${meta.method} ${meta.path}): ${why}`);
  };
  const shape: Record<string, z.core.$ZodType> = input.shape;
  for (const part of Object.keys(shape)) {
    if (part === "body") fail("a raw route describes its body by media type, not in its input");
    if (!(INPUT_PARTS as readonly string[]).includes(part)) {
      fail(`the input has a part ${part}; the known ones are ${INPUT_PARTS.join(", ")}`);
    }
    if (!(shape[part] instanceof z.ZodObject)) {
      fail(`the part ${part} must be a z.object, and not optional`);
    }
  }
  const { query } = shape;
  if (query instanceof z.ZodObject && query.def.catchall?._zod.def.type !== "never") {
    fail("the part query must be a z.strictObject, so that a misspelt parameter is refused");
  }
  const parts = shape as InputParts;
  const template = parsePathTemplate(meta.path);
  const declared = parts.path instanceof z.ZodObject ? Object.keys(parts.path.shape) : [];
  if (declared.toSorted().join() !== template.names.toSorted().join()) {
    fail(
      `the path names ${template.names.join(", ") || "nothing"}, the input ${declared.join(", ") || "nothing"}`,
    );
  }
  for (const header of parts.header instanceof z.ZodObject ? Object.keys(parts.header.shape) : []) {
    if (header !== header.toLowerCase()) fail(`write the header ${header} in lower case`);
  }
  return {
    id,
    method: meta.method,
    template,
    meta,
    scope: raw.scope,
    input,
    parts,
    kind: "raw",
    raw,
  };
}
