import { expect, it } from "vitest";
import { isolated, shortened } from "./text.tsx";

it("keeps a name that turns the direction of writing from what stands beside it", () => {
  const name = `\u202E${"gnp.exe".repeat(50)}`;
  expect(isolated(name, 20)).toBe(`\u2068${shortened(name, 20)}\u2069`);
});

it("leaves other names as they are, so that options are found by what one types", () => {
  expect(isolated("trips")).toBe("trips");
  expect(isolated("Größe 3 µm")).toBe("Größe 3 µm");
  expect(isolated("שלום")).toBe("\u2068שלום\u2069");
});

it("cuts no character in halves", () => {
  expect(shortened("🙂🙂🙂🙂", 4)).toBe("🙂🙂🙂…");
});
