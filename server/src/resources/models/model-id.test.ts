import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  aliasReference,
  aliasSchema,
  modelNameSchema,
  modelReferenceSchema,
  parseReference,
} from "./model-id.ts";

const UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
const alias = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/)
  .filter((text) => aliasSchema.safeParse(text).success);

describe("a reference", () => {
  it("to an alias is read as it is written", () => {
    fc.assert(
      fc.property(name, alias, (ofName, ofAlias) => {
        const text = aliasReference(ofName, ofAlias);
        expect(modelReferenceSchema.parse(text)).toBe(text);
        expect(parseReference(text)).toEqual({ kind: "alias", name: ofName, alias: ofAlias });
      }),
    );
  });

  it("to a version has its number", () => {
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 999_999_999 }), (ofName, version) => {
        const read = parseReference(`${ofName}@${version}`);
        expect(read).toEqual({ kind: "version", name: ofName, version });
      }),
    );
  });

  it("without an @ is an id or a name", () => {
    fc.assert(
      fc.property(name, (text) => {
        expect(parseReference(text)).toEqual({ kind: "bare", text });
      }),
    );
    expect(parseReference("churn@latest")).toEqual({ kind: "latest", name: "churn" });
  });

  it("is parsed exactly where its schema takes it", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9@._-]{0,12}$/), fc.constant(UUID)),
        (text) => {
          expect(parseReference(text) !== null).toBe(modelReferenceSchema.safeParse(text).success);
        },
      ),
    );
  });

  it.each([
    "",
    "@champion",
    "churn@",
    "churn@0",
    "churn@03",
    "churn@1234567890",
    "churn@-1",
    "churn@a@b",
    "churn @a",
    "churn/1",
    "-churn",
    "churn@_x",
    "churn\n",
    `churn@${"a".repeat(65)}`,
    "a".repeat(129),
  ])("is not %j", (text) => {
    expect(parseReference(text)).toBeNull();
  });
});

it.each([UUID, UUID.toUpperCase(), "a b", "a@b", "", ".a", "é"])("a name is not %j", (text) => {
  expect(modelNameSchema.safeParse(text).success).toBe(false);
});

it.each(["latest", "Latest", "v3", "V12", "3", "3a", "", "a@b"])("an alias is not %j", (text) => {
  expect(aliasSchema.safeParse(text).success).toBe(false);
});

it.each(["champion", "v3-candidate", "latest-good", "v", "A.b_c-d"])("an alias is %j", (text) => {
  expect(aliasSchema.parse(text)).toBe(text);
});
