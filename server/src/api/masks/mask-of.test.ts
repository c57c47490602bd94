import { expect, it } from "vitest";
import { z } from "zod";
import { maskOf } from "./mask-of.ts";

const arms = z
  .strictObject({
    left: z.strictObject({ at: z.string() }).nullable().default(null),
    right: z.strictObject({ options: z.record(z.string(), z.string()).default({}) }).nullish(),
  })
  .superRefine(() => undefined);

it("names the members of a form as they are written, through what wraps them", () => {
  const form = z.strictObject({
    name: z.string().default(""),
    paths: z.array(z.strictObject({ of: z.string() })),
    either: z.union([z.string(), z.strictObject({ of: z.string() })]),
    spec: arms,
    defaults: z.strictObject({ first: z.string() }).prefault({ first: "" }),
    revision: z.string(),
  });
  const value = { kind: "value" };
  expect(maskOf(form, { outputOnly: ["name", "revision"], oneOf: arms })).toEqual({
    kind: "message",
    fields: {
      name: { kind: "output-only" },
      paths: value,
      either: value,
      spec: {
        kind: "message",
        oneOf: true,
        fields: {
          left: { kind: "message", fields: { at: value } },
          right: { kind: "message", fields: { options: { kind: "map" } } },
        },
      },
      defaults: { kind: "message", fields: { first: value } },
      revision: { kind: "output-only" },
    },
  });
});
