/**
 * The floors of the house: which room of a package may import which. One ordered list a package,
 * lowest floor first; rooms of one line stand side by side and do not know each other. A file
 * imports its own room and the floors below it, types included, and no files import each other in
 * a circle. `pnpm check` holds every import of the product against this list; tests and what only
 * tests use (`testing/`) are free.
 */

import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { productSources } from "./product-sources.ts";

/** Rooms by their path below `src/`: a folder, or a file that is a room of its own. */
export type Floors = readonly (readonly string[])[];

export interface House {
  /** Of the sources, from the root of the repository. */
  readonly source: string;
  readonly floors: Floors;
  /** Packages of the workspace that it may import. */
  readonly packages: readonly string[];
  /** Rooms that may not import all below them: which they may. */
  readonly narrow?: Readonly<Record<string, readonly string[]>>;
}

export const HOUSES: readonly House[] = [
  {
    source: "engine/src",
    packages: [],
    floors: [
      ["kernels", "shaders"],
      ["compute"],
      ["data", "residuals"],
      ["arrow.ts", "csv.ts", "metrics", "search", "sequences", "series", "trees"],
      ["tasks"],
      ["validation", "conformal", "drift"],
      ["families", "ensemble", "explain"],
      ["model", "pareto"],
      ["answers", "distill", "export"],
      // trainer/: one run
      ["trainer/clock", "trainer/config", "trainer/log"],
      ["trainer/plan"],
      ["trainer/pool-tasks"],
      ["trainer/prices"],
      ["trainer/open-run.ts"],
      ["trainer/outcome"],
      ["trainer/search"],
      ["trainer/progress.ts", "trainer/run.ts"],
      ["report"],
      ["evaluation"],
      ["worker"],
      ["train.ts"],
      ["index.ts"],
    ],
  },
  {
    source: "engine/predict/src",
    packages: [],
    floors: [
      [
        "types.ts",
        "rows-error.ts",
        "jitless.ts",
        "sha256.ts",
        "math.ts",
        "crc32.ts",
        "inflating.ts",
      ],
      ["kernel-module.ts", "archive.ts", "rows.ts"],
      ["source.ts", "predictor.ts"],
      ["load.ts"],
      ["index.ts", "node.ts"],
    ],
  },
  {
    source: "server/src",
    packages: ["@distillery/engine"],
    narrow: {
      // Bytes and the form that they take, and nothing of the service.
      "reading/parsing": ["platform/processes"],
      // Pure computing over parsed documents.
      "reading/induction": ["platform/net", "platform/processes", "reading/parsing"],
    },
    floors: [
      // platform/: what the process stands on
      ["platform/database-hosts.ts", "platform/startup-error.ts", "platform/variable-forms.ts"],
      ["platform/object-store-url.ts"],
      ["platform/log.ts", "platform/config.ts", "platform/files"],
      ["platform/db", "platform/net", "platform/settings.ts"],
      [
        "platform/secrets",
        "platform/objects",
        "platform/queue",
        "platform/processes",
        "platform/input",
      ],
      ["platform/compute"],
      // query/ and reading/: other people's data, and their documents
      ["query/sql-text.ts"],
      ["query/arrow", "query/sources", "reading/parsing"],
      ["query/sql", "reading/induction"],
      // api/: the way in
      ["api/services.ts"],
      ["api/context"],
      ["api/paging", "api/masks"],
      ["api/http"],
      ["api/resource"],
      ["api/auth", "api/guide"],
      // resources/: what is created, shown and deleted
      [
        "resources/api-keys",
        "resources/audit",
        "resources/connectors",
        "resources/lineage",
        "resources/quotas",
        "resources/service",
        "resources/sessions",
      ],
      ["resources/workspaces"],
      ["resources/tables"],
      ["resources/queries"],
      ["resources/jobs"],
      ["resources/datasets"],
      ["resources/models"],
      ["resources/serving", "resources/batch-predictions"],
      ["resources/training", "resources/evaluations"],
      ["resources/documents"],
      ["resources/monitoring", "resources/retention"],
      // the service, assembled
      ["kinds.ts"],
      ["router.ts"],
      ["app.ts", "workers.ts", "sweeping.ts", "opening.ts"],
      ["lifecycle.ts"],
      ["index.ts", "command.ts"],
      ["bundle.ts", "source-stacks.ts"],
      ["cli.ts"],
    ],
  },
  {
    source: "server/console/src",
    packages: ["@distillery/client", "@distillery/engine"],
    floors: [
      ["api"],
      ["ui"],
      ["shell"],
      // one folder an area; they do not know each other
      [
        "views/home",
        "views/data",
        "views/train",
        "views/models",
        "views/serve",
        "views/documents",
        "views/admin",
      ],
      ["areas.tsx"],
      ["app.tsx"],
      ["main.tsx"],
    ],
  },
];

/** Everything wrong with the imports of a house, one line each. */
export function faultsOf(house: House, root: string): string[] {
  // AssemblyScript is compiled apart.
  const files = productSources(root, house.source).filter((file) => !file.includes("/assembly/"));
  const imports = new Map(
    files.map((file) => [file, importsOf(readFileSync(join(root, file), "utf8"))]),
  );
  return [...floorFaults(house, imports), ...circleFaults(house, imports)];
}

/** @param imports what each file imports, as written, by the file's path from the root */
export function floorFaults(
  house: House,
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const rooms = house.floors.flatMap((floor, height) => floor.map((room) => ({ room, height })));
  const roomOf = (file: string) => {
    const inside = posix.relative(house.source, file);
    return rooms
      .filter(({ room }) => inside === room || inside.startsWith(`${room}/`))
      .toSorted((a, b) => b.room.length - a.room.length)[0];
  };
  const faults: string[] = [];
  for (const [file, specifiers] of imports) {
    const from = roomOf(file);
    if (from === undefined) {
      faults.push(`${file} stands on no floor: name its room in scripts/check/floors.ts.`);
      continue;
    }
    for (const specifier of specifiers) {
      const workspacePackage = /^@distillery\/[^/]+/.exec(specifier)?.[0];
      if (workspacePackage !== undefined && !house.packages.includes(workspacePackage)) {
        faults.push(`${file} imports ${specifier}: ${house.source} knows no ${workspacePackage}.`);
      }
      const target = resolved(file, specifier);
      if (target === undefined || !target.startsWith(`${house.source}/`)) continue;
      const to = roomOf(target);
      if (to === undefined || to.room === from.room) continue;
      const few = house.narrow?.[from.room];
      if (to.height < from.height) {
        if (few === undefined || few.includes(to.room)) continue;
        faults.push(`${file} imports ${target}: ${from.room} may know ${few.join(", ")} alone.`);
        continue;
      }
      const where = to.height === from.height ? "on the same floor" : "above";
      faults.push(`${file} imports ${target}: ${to.room} is ${where}, not below ${from.room}.`);
    }
  }
  return faults;
}

/** Files that import each other in a circle: one line a knot (Tarjan 1972, strong components). */
export function circleFaults(
  house: House,
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const order = new Map<string, number>();
  const path: string[] = [];
  const faults: string[] = [];
  /** The lowest number on the path that the file leads to. */
  const visit = (file: string): number => {
    const number = order.size;
    let lowest = number;
    order.set(file, number);
    path.push(file);
    for (const specifier of imports.get(file) ?? []) {
      const target = resolved(file, specifier);
      if (target === undefined || !imports.has(target)) continue;
      const seen = order.get(target);
      if (seen === undefined) lowest = Math.min(lowest, visit(target));
      else if (path.includes(target)) lowest = Math.min(lowest, seen);
    }
    if (lowest === number) {
      const knot = path.splice(path.indexOf(file));
      if (knot.length > 1) {
        const names = knot.map((member) => posix.relative(house.source, member)).toSorted();
        faults.push(`${house.source}: files import each other in a circle: ${names.join(", ")}.`);
      }
    }
    return lowest;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return faults;
}

/** What a source imports, as written: statements, re-exports and `import()`, types included. */
export function importsOf(source: string): string[] {
  const statement =
    /^(?:import|export)\b[^;"'`]*?\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;
  return [...source.matchAll(statement)].map(([, from, bare, dynamic]) => {
    return from ?? bare ?? dynamic!;
  });
}

function resolved(file: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : undefined;
}
