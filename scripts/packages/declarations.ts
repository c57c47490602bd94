/** Declarations of a package: of its entry, and of all that is mentioned there. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export interface Declarations {
  /** The package's `tsconfig.package.json`. */
  readonly project: string;
  /** Where they are written. */
  readonly folder: string;
  /** Within the folder. */
  readonly entry: string;
  /** Packages whose types may be shown, since they are installed with this one. */
  readonly installed: readonly string[];
}

/** Imports are by the names that the files have here; what nothing mentions goes. */
export function declare({ project, folder, entry, installed }: Declarations): void {
  const compiled = spawnSync("tsc", ["-p", project, "--outDir", folder], { stdio: "inherit" });
  if (compiled.status !== 0) throw new Error("The declarations were not made.");
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, "utf8").replace(
      /((?:from|import\()\s*")([^"]*)"|^import "[^"]*";\n/gm,
      (whole, before?: string, path?: string) => {
        // What is imported for its effect declares nothing.
        if (before === undefined || path === undefined) return "";
        if (!path.startsWith(".")) {
          if (installed.includes(path)) return whole;
          throw new Error(`${relative(folder, file)} shows types of ${path}.`);
        }
        follow(join(dirname(file), path.replace(/\.ts$/, ".d.ts")));
        return `${before}${path.replace(/\.ts$/, ".js")}"`;
      },
    );
    writeFileSync(file, text);
  };
  follow(join(folder, entry));
  for (const each of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(each.parentPath, each.name);
    if (each.isFile() && !reached.has(file)) rmSync(file);
  }
}
