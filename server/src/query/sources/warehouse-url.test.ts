import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePostgresUrl } from "./postgres/address.ts";
import { SourceUrlError } from "./source-error.ts";
import { parseTrinoUrl } from "./trino/address.ts";

describe("a URL of PostgreSQL", () => {
  test.each([
    ["postgres://db.example/shop", "db.example", 5432, "shop", "prefer"],
    [
      "postgresql://db.example:6543/shop?sslmode=verify-full",
      "db.example",
      6543,
      "shop",
      "verify-full",
    ],
    ["postgres://10.0.0.1/a%20b%2Fc", "10.0.0.1", 5432, "a b/c", "prefer"],
    ["postgres://[::1]:5433/shop?sslmode=disable", "::1", 5433, "shop", "disable"],
  ])("%s is read", (url, host, port, database, sslMode) => {
    expect(parsePostgresUrl(url)).toMatchObject({ host, port, database, sslMode });
  });

  test("names its place with brackets where it has colons", () => {
    expect(parsePostgresUrl("postgres://[::1]/shop").place).toBe("PostgreSQL at [::1]:5432");
  });

  test.each([
    ["", /not a URL/],
    ["db.example/shop", /not a URL/],
    ["mysql://db.example/shop", /must begin with postgres:\/\/ or postgresql:\/\//],
    ["postgres://ada@db.example/shop", /must not contain a user or a password/],
    ["postgres://:secret@db.example/shop", /must not contain a user or a password/],
    ["postgres://db.example", /must name one database/],
    ["postgres://db.example/", /must name one database/],
    ["postgres://db.example/a/b", /must name one database/],
    ["postgres://db.example/%ff", /not percent-encoded UTF-8/],
    ["postgres://db.example/a%00b", /must be at most 63 bytes/],
    [`postgres://db.example/${"n".repeat(64)}`, /must be at most 63 bytes/],
    ["postgres:///shop", /must name one host/],
    ["postgres://%2Fvar%2Frun/shop", /must name one host/],
    ["postgres://one,two/shop", /must name one host/],
    ["postgres://db.example:0/shop", /port must be from 1/],
    ["postgres://db.example:99999/shop", /not a URL/],
    ["postgres://db.example/shop?sslmode=maybe", /sslmode must be one of disable, prefer/],
    ["postgres://db.example/shop?options=-c%20x", /"options" is not known/],
    ["postgres://db.example/shop#x", /must not contain a fragment/],
  ])("%s is refused", (url, sentence) => {
    expect(() => parsePostgresUrl(url)).toThrow(sentence);
  });
});

describe("a URL of Trino", () => {
  test.each([
    ["trino://trino.example", "http://trino.example:8080", false],
    ["trino://trino.example:9000/", "http://trino.example:9000", false],
    ["trinos://trino.example", "https://trino.example", true],
    ["trinos://trino.example:8443", "https://trino.example:8443", true],
    ["http://trino.example", "http://trino.example", false],
    ["http://trino.example:80", "http://trino.example", false],
    ["https://TRINO.example:443/", "https://trino.example", true],
    ["https://[::1]:8443", "https://[::1]:8443", true],
  ])("%s is read", (url, origin, encrypted) => {
    expect(parseTrinoUrl(url)).toMatchObject({ origin, encrypted });
  });

  test.each([
    ["trino.example:8080", /must begin with trino:\/\/ or trinos:\/\/ or http:\/\/ or https:\/\//],
    ["jdbc:trino://trino.example", /must begin with/],
    ["trino://ada@trino.example", /must not contain a user/],
    ["trino://trino.example/tpch/sf1", /must not contain a path/],
    ["trino://trino.example?user=ada", /must not contain parameters/],
    ["trino://", /must name one host/],
    ["trino://tr ino", /not a URL/],
  ])("%s is refused", (url, sentence) => {
    expect(() => parseTrinoUrl(url)).toThrow(sentence);
  });
});

test("of any text is read or refused in a sentence that does not repeat it", () => {
  const text = fc.oneof(
    fc.webUrl(),
    fc.string(),
    fc.string().map((one) => `postgres://${one}`),
  );
  fc.assert(
    fc.property(text, (url) => {
      for (const parse of [parsePostgresUrl, parseTrinoUrl]) {
        try {
          expect(parse(url).place).toMatch(/^(PostgreSQL|Trino) at .+:\d+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(SourceUrlError);
        }
      }
    }),
  );
  expect(() => parseTrinoUrl("trino://ada:hunter2@host")).toThrow(/^((?!hunter2).)*$/);
});
