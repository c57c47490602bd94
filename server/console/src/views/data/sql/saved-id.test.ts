import { expect, it } from "vitest";
import { idOfTitle } from "./saved-id.ts";

const SEGMENT = /^[a-z][a-z0-9_]{0,62}$/;

it("makes ids that the service takes of any title", () => {
  expect(idOfTitle("Sales by región, 2031", () => 0)).toBe("sales_by_region_2031_0000");
  expect(idOfTitle("2031", () => 0.999)).toBe("statement_2031_zzzz");
  for (const title of ["", "売上", "__", "x".repeat(200), "<b>a</b>", "a ".repeat(100)]) {
    expect(idOfTitle(title)).toMatch(SEGMENT);
  }
});
