/** Whether the types that the packed client brings, which are written out, are those of the service's router. */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { appRouter } from "../../server/src/router.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What is a class or refined by a function is wider, written out. */
const WIDER = ["apiKeys.create", "agentic.induce", "queries.explain"];
/** The router's own types leave the filter open, and results without what all of them show. */
const CLOSER = ["training.run", "jobs.result"];
/** No types fit each other so: what shows that differences are found. */
const DIFFERENT = "fits<number, string>();";

/**
 * Compares inputs, outputs and kinds of every procedure, each way.
 *
 * @param folder - a project that the packed client is installed in
 * @returns the lines that do not hold; empty where all types are equal
 */
export function routerTypeFaults(folder: string): readonly string[] {
  const lines = Object.keys(appRouter._def.procedures).flatMap((path) => {
    const [router, name] = path.split(".");
    const written = (of: string) => `Written.${of}["${router}"]["${name}"]`;
    const typed = (of: string) => `Typed.${of}["${router}"]["${name}"]`;
    return [
      ...(CLOSER.includes(path) || WIDER.includes(path)
        ? []
        : ["Inputs", "Outputs"].flatMap((of) => [
            `fits<${typed(of)}, ${written(of)}>();`,
            `fits<${written(of)}, ${typed(of)}>();`,
          ])),
      `fits<${typed("Kinds")}, ${written("Kinds")}>();`,
    ];
  });
  const source = JSON.stringify(join(root, "server/client/src/procedures.ts"));
  const program = [
    'import type * as Written from "./node_modules/@distillery/client/types/procedures.d.ts";',
    `import type * as Typed from ${source};`,
    "declare function fits<Wide, _Narrow extends Wide>(): void;",
    ...lines,
    DIFFERENT,
  ];
  writeFileSync(join(folder, "router-types.ts"), program.join("\n"));
  const compilerOptions = {
    strict: true,
    // JSON has no undefined.
    exactOptionalPropertyTypes: false,
    noUnusedParameters: false,
    skipLibCheck: true,
    noEmit: true,
    target: "es2023",
    module: "nodenext",
    lib: ["es2024", "esnext.iterator", "dom", "dom.iterable"],
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
    allowImportingTsExtensions: true,
  };
  const project = join(folder, "tsconfig.router-types.json");
  const files = ["router-types.ts", join(root, "server/src/platform/input/raw-json.d.ts")];
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", project], {
    cwd: folder,
    encoding: "utf8",
  });
  const faults = stdout.split("\n").flatMap((line) => {
    if (!/\berror TS\d+/.test(line)) return [];
    const at = /^router-types\.ts\((\d+)/.exec(line)?.[1];
    return [at === undefined ? line : `${program[Number(at) - 1]} ${line}`];
  });
  if (!faults.some((fault) => fault.startsWith(DIFFERENT))) {
    return ["The compiler finds no difference where there is one.", ...faults];
  }
  return faults.filter((fault) => !fault.startsWith(DIFFERENT));
}
