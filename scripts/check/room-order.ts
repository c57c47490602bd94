/**
 * The server's resource rooms, lowest first: a room imports none above it, types included, and no files
 * of theirs import each other in a circle (ARCHITECTURE.md). What a room needs of one above it is handed
 * to it where the service is assembled (`server/src/router.ts`, `workers.ts`, `sweeping.ts`).
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

const ROOMS: readonly string[] = [
  "connectors",
  "workspaces",
  "tables",
  "queries",
  "jobs",
  "datasets",
  "models",
  "training",
  "documents",
];

/** Paths relative to `server/src`, each with what it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Of the resource rooms' files, tests left out. */
export function readImports(root: string): Imports {
  const server = join(root, "server/src");
  const imports = new Map<string, readonly string[]>();
  for (const room of ROOMS) {
    for (const entry of readdirSync(join(server, room), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/(?<!\.test)\.ts$/.test(entry.name)) continue;
      const file = join(entry.parentPath, entry.name);
      const path = relative(server, file).replaceAll("\\", "/");
      imports.set(path, importsOf(path, readFileSync(file, "utf8")));
    }
  }
  return imports;
}

/** @param path relative to `server/src`, as are the paths that are returned */
export function importsOf(path: string, source: string): string[] {
  const imported = source.matchAll(/\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return [...imported].map(([, target = ""]) =>
    normalize(join(dirname(path), target)).replaceAll("\\", "/"),
  );
}

/** One sentence for each import of a room above, and for each circle. */
export function roomFaults(imports: Imports): string[] {
  const floorOf = (path: string): number => ROOMS.indexOf(path.split("/", 1)[0] ?? "");
  const upward = [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => floorOf(target) > floorOf(path))
      .map(
        (target) =>
          `server/src/${path} imports ${target}, of a room above its own: hand the value over where the service is assembled.`,
      ),
  );
  const circular = circles(imports).map(
    (files) => `These files import each other in a circle: ${files.join(", ")}.`,
  );
  return [...upward, ...circular];
}

/** Strongly connected files (R. Tarjan, SIAM Journal on Computing 1(2), 1972), more than one each. */
function circles(imports: Imports): string[][] {
  const found: string[][] = [];
  const numbers = new Map<string, number>();
  const stack: string[] = [];
  /** The lowest number on the stack that the file leads to. */
  const visit = (file: string): number => {
    const own = numbers.size;
    let lowest = own;
    numbers.set(file, own);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      const number = numbers.get(target);
      if (number === undefined) {
        if (imports.has(target)) lowest = Math.min(lowest, visit(target));
      } else if (stack.includes(target)) {
        lowest = Math.min(lowest, number);
      }
    }
    if (lowest === own) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1) found.push(component.sort());
    }
    return lowest;
  };
  for (const file of imports.keys()) if (!numbers.has(file)) visit(file);
  return found;
}
