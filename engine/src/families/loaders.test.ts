import { expect, test } from "vitest";
import { FAMILIES } from "./index.ts";
import { LOADERS } from "./loaders.ts";

test("what each family saves is loaded by its own loader", () => {
  const parts = ({ id, reads, load }: (typeof LOADERS)[number]) => ({ id, reads, load });
  expect(LOADERS.map(parts)).toEqual(FAMILIES.map(parts));
});
