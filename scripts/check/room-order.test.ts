import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importsOf, readImports, roomFaults } from "./room-order.ts";

test("imports are read with their types, of one line or several", () => {
  const source = `
import { a } from "./a.ts";
import type { B } from "../models/b.ts";
import {
  c,
} from "../jobs/c.ts";
export { d } from "./deep/d.ts";
const { e } = await import("../../scripts/e.ts");
import { z } from "zod";
`;
  expect(importsOf("training/x.ts", source)).toEqual([
    "training/a.ts",
    "models/b.ts",
    "jobs/c.ts",
    "training/deep/d.ts",
    "../scripts/e.ts",
  ]);
});

test("a room may import those below it, and none above it", () => {
  const imports = new Map([
    ["jobs/a.ts", ["db/database.ts", "queries/q.ts", "models/m.ts"]],
    ["models/m.ts", ["connectors/c.ts", "platform.ts"]],
  ]);
  expect(roomFaults(imports)).toEqual([
    expect.stringMatching(/^server\/src\/jobs\/a\.ts imports models\/m\.ts, of a room above/),
  ]);
});

test("circles are found however long they are, and each once", () => {
  const imports = new Map([
    ["jobs/a.ts", ["jobs/b.ts", "jobs/e.ts"]],
    ["jobs/b.ts", ["jobs/c.ts"]],
    ["jobs/c.ts", ["jobs/a.ts", "jobs/d.ts"]],
    ["jobs/d.ts", ["jobs/e.ts"]],
    ["jobs/e.ts", []],
    ["models/x.ts", ["models/y.ts", "jobs/a.ts"]],
    ["models/y.ts", ["models/x.ts"]],
  ]);
  expect(roomFaults(imports)).toEqual([
    "These files import each other in a circle: jobs/a.ts, jobs/b.ts, jobs/c.ts.",
    "These files import each other in a circle: models/x.ts, models/y.ts.",
  ]);
});

test("the service's rooms keep their order", () => {
  const imports = readImports(fileURLToPath(new URL("../..", import.meta.url)));
  expect(imports.size).toBeGreaterThan(100);
  expect(roomFaults(imports)).toEqual([]);
});
