import { expect, it } from "vitest";
import type { FeatureSchema } from "../data/feature-schema.ts";
import { featureSchemaDocument } from "./feature-schema-document.ts";

it("keeps all that a schema says of its columns", () => {
  const schema: FeatureSchema = {
    columns: [
      { kind: "numeric", name: "n" },
      { kind: "boolean", name: "b" },
      { kind: "categorical", name: "c", categories: ["x", "y"], omitted: 2 },
      { kind: "timestamp", name: "when", origin: 5, parts: ["year"], slashed: "day-first" },
      { kind: "timestamp", name: "then", origin: 5, parts: ["year"] },
      { kind: "text", name: "t", parts: ["length"], tokens: ["word"], literalTexts: [""] },
      { kind: "text", name: "older", parts: ["length"], tokens: ["word"] },
    ],
    dropped: [{ name: "y", kind: "numeric", reason: "excluded" }],
    notes: ["A note."],
  };
  expect(featureSchemaDocument.parse(JSON.parse(JSON.stringify(schema)))).toEqual(schema);
});
