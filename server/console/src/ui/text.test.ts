import { expect, it } from "vitest";
import { isolated, shortened } from "./text.tsx";

it("keeps a name that turns the direction of writing from what stands beside it", () => {
  const name = `\u202E${"gnp.exe".repeat(50)}`;
  expect(isolated(name, 20)).toBe(`\u2068${shortened(name, 20)}\u2069`);
});

it("cuts no character in halves", () => {
  expect(shortened("🙂🙂🙂🙂", 4)).toBe("🙂🙂🙂…");
});
