import { once } from "node:events";
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { HeldFiles } from "./held-files.ts";

const open = () => createReadStream(fileURLToPath(import.meta.url), { highWaterMark: 8 });

it("holds files of one organization up to a size, until they are closed", async () => {
  const held = new HeldFiles({ mostBytes: 100, idleMs: 60_000 });
  const large = open();
  held.hold("one", 1_000, large);
  const refused = open();
  expect(() => held.hold("one", 1, refused)).toThrow("still being read");
  expect(refused.destroyed).toBe(true);
  const others = open();
  held.hold("two", 60, others);
  large.destroy();
  await once(large, "close");
  const next = open();
  held.hold("one", 1, next);
  others.destroy();
  next.destroy();
});

it("lets go whoever takes nothing", async () => {
  const held = new HeldFiles({ mostBytes: 100, idleMs: 5 });
  const file = open();
  await once(file, "readable");
  held.hold("one", 100, file);
  const [error] = await once(file, "error");
  expect(error).toMatchObject({ kind: "request-timeout" });
});
