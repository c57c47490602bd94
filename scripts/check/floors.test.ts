import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { circleFaults, faultsOf, floorFaults, HOUSES, type House, importsOf } from "./floors.ts";

const house: House = {
  source: "lib/src",
  packages: ["@distillery/engine"],
  floors: [["log.ts", "ground"], ["left", "right", "left/deep"], ["top"]],
  narrow: { right: ["log.ts"] },
};

it("reads imports with their types, of one line or several", () => {
  const source = `
import { a } from "./a.ts";
import type { B } from "../models/b.ts";
import {
  c,
} from "../jobs/c.ts";
import "./effect.ts";
export { d } from "./deep/d.ts";
const { e } = await import("../../scripts/e.ts");
const text = 'import { no } from "./no.ts"';
import { z } from "zod";
`;
  expect(importsOf(source)).toEqual([
    "./a.ts",
    "../models/b.ts",
    "../jobs/c.ts",
    "./effect.ts",
    "./deep/d.ts",
    "../../scripts/e.ts",
    "zod",
  ]);
});

it("lets a room import itself and the floors below it, and nothing else", () => {
  const imports = new Map([
    ["lib/src/top/a.ts", ["./b.ts", "../left/c.ts", "../log.ts", "zod", "@distillery/engine"]],
    ["lib/src/left/c.ts", ["../ground/d.ts", "../right/e.ts", "../top/a.ts", "./deep/f.ts"]],
    ["lib/src/right/e.ts", ["@distillery/server/client", "../log.ts", "../ground/d.ts"]],
    ["lib/src/attic/g.ts", []],
  ]);
  expect(floorFaults(house, imports)).toEqual([
    "lib/src/left/c.ts imports lib/src/right/e.ts: right is on the same floor, not below left.",
    "lib/src/left/c.ts imports lib/src/top/a.ts: top is above, not below left.",
    "lib/src/left/c.ts imports lib/src/left/deep/f.ts: left/deep is on the same floor, not below left.",
    "lib/src/right/e.ts imports @distillery/server/client: lib/src knows no @distillery/server.",
    "lib/src/right/e.ts imports lib/src/ground/d.ts: right may know log.ts alone.",
    "lib/src/attic/g.ts stands on no floor: name its room in scripts/check/floors.ts.",
  ]);
});

it("finds circles however long they are, and each once", () => {
  const imports = new Map([
    ["lib/src/top/a.ts", ["./b.ts", "./e.ts"]],
    ["lib/src/top/b.ts", ["./c.ts"]],
    ["lib/src/top/c.ts", ["./a.ts", "./d.ts"]],
    ["lib/src/top/d.ts", ["./e.ts"]],
    ["lib/src/top/e.ts", []],
    ["lib/src/left/x.ts", ["./y.ts", "../top/a.ts"]],
    ["lib/src/left/y.ts", ["./x.ts"]],
  ]);
  expect(circleFaults(house, imports)).toEqual([
    "lib/src: files import each other in a circle: top/a.ts, top/b.ts, top/c.ts.",
    "lib/src: files import each other in a circle: left/x.ts, left/y.ts.",
  ]);
});

it("finds nothing wrong with this house", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  expect(HOUSES.flatMap((each) => faultsOf(each, root))).toEqual([]);
});
