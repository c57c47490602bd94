import { expect, it } from "vitest";
import { memberOf } from "./failed-check.ts";

it("finds the field that a failed step speaks of", () => {
  const amazon = { endpoint: "", user: "reader" };
  const own = { endpoint: "http://minio", user: "reader" };
  const refused = "it refused the credentials";
  expect(memberOf({ check: "address", detail: "no such host" }, amazon)).toBe("url");
  expect(memberOf({ check: "address", detail: "no such host" }, own)).toBe("endpoint");
  expect(memberOf({ check: "login", detail: refused }, amazon)).toBe("secret");
  expect(memberOf({ check: "login", detail: refused }, { ...amazon, user: "" })).toBe("user");
  expect(memberOf({ check: "credentials", detail: "there is no bucket x" }, own)).toBe("url");
  expect(memberOf({ check: "login", detail: "its URL must begin with https" }, own)).toBe("url");
  const tls =
    "does not let this user into this database: no entry. Put sslmode=require into the URL";
  expect(memberOf({ check: "login", detail: tls }, amazon)).toBe("url");
  const key = "minio knows no such access key.";
  expect(memberOf({ check: "credentials", detail: key }, own)).toBe("user");
  const plain = "No encrypted connection to minio could be established.";
  expect(memberOf({ check: "credentials", detail: plain }, own)).toBe("endpoint");
  const trino = "Trino at x answered 404, which is not part of Trino's protocol.";
  expect(memberOf({ check: "login", detail: trino }, amazon)).toBe("url");
  const other = "it does not answer as the S3 API does (bucket lake)";
  expect(memberOf({ check: "credentials", detail: other }, own)).toBe("endpoint");
  expect(memberOf({ check: "credentials", detail: other }, amazon)).toBe("url");
  expect(memberOf({ check: "schemas", detail: "not allowed" }, amazon)).toBe("url");
});
