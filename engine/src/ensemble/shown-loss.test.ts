import { expect, it } from "vitest";
import { shownScore } from "./shown-loss.ts";

it("gives scores in six digits, large ones without an exponent", () => {
  expect(shownScore({ direction: "minimize" }, 0.5)).toBe("0.500000");
  expect(shownScore({ direction: "maximize" }, -0.9123456)).toBe("0.912346");
  expect(shownScore({ direction: "minimize" }, 2040681.8)).toBe("2040680");
});
