import { describe, expect, it } from "vitest";
import { SourceUrlError } from "../../query/sources/source-error.ts";
import { registrationIdentity } from "./identity.ts";

describe("a registration identity", () => {
  const same: [string, string][] = [
    ["s3://bucket/a/b.parquet", "s3://bucket"],
    ["s3://bucket", "s3://bucket"],
    ["S3://Bucket/A", "s3://bucket"],
    ["file:///data/x/", "file://"],
    ["file://localhost/data", "file://"],
    ["https://host:443/a", "https://host"],
    ["https://host/a", "https://host"],
    ["http://host:8080/a", "http://host:8080"],
    ["http://host:080/a", "http://host"],
    ["https://[::1]:9000/a", "https://[::1]:9000"],
    ["s3://bucket/a@b?c#d", "s3://bucket"],
  ];
  it.each(same)("of %s is %s", (url, identity) => {
    expect(registrationIdentity(url)).toBe(identity);
  });

  it.each([
    "",
    "bucket/a",
    "/data/a",
    "s3:/bucket/a",
    "s3://",
    "s3:///a",
    "://bucket/a",
    "3s://bucket/a",
    "s3://user:secret@bucket/a",
    "s3://user@bucket/a",
    "https://host:99999/a",
    "https://host:x/a",
    "https://ho st/a",
    "https://host?a",
    "s3://bucket%2fa/b",
    " s3://bucket/a",
  ])("is none of %j", (url) => {
    expect(() => registrationIdentity(url)).toThrow(SourceUrlError);
  });
});
