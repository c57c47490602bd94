/**
 * Query and header parameters are text on the wire. Each is read strictly by what its schema takes
 * (`20`, not `+20`, `2e1` or ` 20`; `true` or `false`, not `1`); text that does not fit is left as
 * it is for the validation to refuse.
 */
import type { z } from "zod";
import {
  type ParameterKind,
  type ParameterShape,
  parameterShape,
} from "../../../platform/input/schema-view.ts";

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function parseScalar(text: string, kind: ParameterKind): unknown {
  switch (kind) {
    case "integer": {
      const value = INTEGER.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(value) ? value : text;
    }
    case "number": {
      const value = NUMBER.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(value) ? value : text;
    }
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "string":
      return text;
  }
}

export type ParameterSource = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the parameters of one part; built once for each operation. */
export function parameterReader(
  part: z.ZodObject,
  declaredOnly = false,
): (source: ParameterSource) => Record<string, unknown> {
  const shapes = new Map<string, ParameterShape>(
    Object.entries(part.shape).map(([name, schema]) => [name, parameterShape(schema)]),
  );
  return (source) => {
    const values: [name: string, value: unknown][] = [];
    for (const name of Object.keys(source)) {
      const sent = source[name];
      if (sent === undefined) continue;
      const shape = shapes.get(name);
      if (shape === undefined) {
        // A strict part refuses these by name; headers are always more than those declared.
        if (!declaredOnly) values.push([name, sent]);
        continue;
      }
      if (shape.list) {
        const list = typeof sent === "string" ? [sent] : sent;
        values.push([name, list.map((text) => parseScalar(text, shape.kind))]);
      } else {
        // A repeated scalar is ambiguous; as a list it fails the validation, which says so.
        values.push([name, typeof sent === "string" ? parseScalar(sent, shape.kind) : [...sent]]);
      }
    }
    return Object.fromEntries(values);
  };
}
