import { describe, expect, it } from "vitest";
import { negotiate } from "./accept.ts";

const JSON_TYPE = "application/json";
const ARROW = "application/vnd.apache.arrow.stream";
const chosen = (accept: string | undefined) => negotiate(accept, [JSON_TYPE, ARROW]);

describe("negotiate", () => {
  it.each([
    [undefined, JSON_TYPE],
    ["", JSON_TYPE],
    ["*/*", JSON_TYPE],
    ["application/*", JSON_TYPE],
    [ARROW, ARROW],
    [`${ARROW}, ${JSON_TYPE}`, JSON_TYPE],
    [`${ARROW};q=0.9, ${JSON_TYPE};q=0.8`, ARROW],
    [`${JSON_TYPE};q=0.5, */*`, ARROW],
    [`*/*;q=0.1, ${ARROW};q=0.2`, ARROW],
    ["Application/JSON; charset=utf-8; q=0.3", JSON_TYPE],
    [`${JSON_TYPE};q=0, */*;q=0.001`, ARROW],
    ["text/html, application/xhtml+xml, */*;q=0.8", JSON_TYPE],
    [`, ${ARROW} ,`, ARROW],
    [`${ARROW};q=0, application/*;q=0.5`, JSON_TYPE],
  ])("takes %j as %s", (accept, expected) => {
    expect(chosen(accept)).toBe(expected);
  });

  it.each(["text/csv", "image/*", `${JSON_TYPE};q=0`, `*/*;q=0`])(
    "refuses %j with 406",
    (accept) => {
      expect(() => chosen(accept)).toThrow(expect.objectContaining({ status: 406 }));
    },
  );

  it.each(["json", "application/", "a/b;q=2", "a/b;q=0.1234", "a/b;q=x"])(
    "refuses the malformed %j with 400",
    (accept) => {
      expect(() => chosen(accept)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});
