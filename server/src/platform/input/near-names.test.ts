import { describe, expect, it } from "vitest";
import { nearNames, quotedList } from "./near-names.ts";

describe("nearNames", () => {
  it.each<[string, string[], string[]]>([
    ["clz", ["cls", "churn", "cla"], ["cla", "cls"]],
    ["Chrun", ["churn", "run", "tariff"], ["churn", "run"]],
    ["nothing", ["churn", "a", "safe"], []],
    ["a", ["b", "ab"], []],
    [
      "sales-2024",
      ["sales-2023", "sales-2025", "sale-2024"],
      ["sale-2024", "sales-2023", "sales-2025"],
    ],
    [
      "model-aaaa",
      ["model-aaab", "model-aabb", "model-abbb", "model-bbbb"],
      ["model-aaab", "model-aabb", "model-abbb"],
    ],
  ])("of %s among %j", (missing, names, near) => {
    expect(nearNames(missing, names)).toEqual(near);
  });

  it("lists them in quotes", () => {
    expect(quotedList(["cls", "cla"])).toBe("'cls' and 'cla'");
  });
});
