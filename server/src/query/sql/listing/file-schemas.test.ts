import { describe, expect, it } from "vitest";
import { SqlError } from "../query.ts";
import { fileFault } from "./file-schemas.ts";

const file = {
  key: "year=2024/a (1).parquet",
  path: "/home/sql/7/p-1/2/schema-i9cKQH/0-a__1_.parquet",
};
const saidOf = (message: string): unknown =>
  fileFault("lake.s.t", file, new SqlError("failed", message));

describe("what is said of a file that cannot be read", () => {
  it.each([
    ["No magic bytes found at end of file 'schema-i9cKQH/0-a__1_.parquet'", "hidden folders"],
    [`No magic bytes found at end of file '${file.path}'`, "whole"],
    ["No magic bytes found at end of file '0-a__1_.parquet'", "by its last segment"],
  ])("names it as its owner does: %s (%s)", (message) => {
    expect(saidOf(message)).toMatchObject({
      message: `lake.s.t: ${file.key} cannot be read: No magic bytes found at end of file '${file.key}'`,
    });
  });

  it("names it once where it begins with the name", () => {
    expect(saidOf("0-a__1_.parquet: line 3 is not valid UTF-8")).toMatchObject({
      message: `lake.s.t: ${file.key} cannot be read: line 3 is not valid UTF-8`,
    });
  });

  it("is not what is not of the file", () => {
    const error = new SqlError("timeout", "too long");
    expect(fileFault("lake.s.t", file, error)).toBe(error);
  });
});
