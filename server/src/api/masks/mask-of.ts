/** What a field mask can name of a resource, from the form in which requests send it. */
import { z } from "zod";
import { alternatives } from "../../platform/input/schema-view.ts";
import type { MaskField, MaskMessage } from "./field-mask.ts";

export interface MaskRules {
  /** Members of the form that the service sets, or that are part of the name. */
  readonly outputOnly: readonly string[];
  /** A form within the form, of whose members at most one is set. */
  readonly oneOf?: z.ZodObject;
}

/** Objects are written member by member, records key by key, all else as a whole. */
export function maskOf(form: z.ZodObject, { outputOnly, oneOf }: MaskRules): MaskMessage {
  const { fields } = messageOf(form, oneOf);
  const set = outputOnly.map((name): [string, MaskField] => [name, { kind: "output-only" }]);
  return { kind: "message", fields: { ...fields, ...Object.fromEntries(set) } };
}

const messageOf = (form: z.ZodObject, oneOf: z.ZodObject | undefined): MaskMessage => ({
  kind: "message",
  fields: Object.fromEntries(
    Object.entries(form.shape).map(([name, member]) => [name, fieldOf(member, oneOf)]),
  ),
  ...(form === oneOf && { oneOf: true }),
});

function fieldOf(schema: z.core.$ZodType, oneOf: z.ZodObject | undefined): MaskField {
  const [only, ...others] = alternatives(schema);
  if (others.length > 0) return { kind: "value" };
  if (only instanceof z.ZodObject) return messageOf(only, oneOf);
  return { kind: only instanceof z.ZodRecord ? "map" : "value" };
}
