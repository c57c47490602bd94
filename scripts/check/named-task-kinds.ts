/**
 * Finds kinds of tasks that the product names outside `engine/src/tasks/`: as a text, or as the key
 * of an object. What depends on a kind is asked of its `TaskType` (`docs/decisions/task-kinds.md`).
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { productSources } from "./product-sources.ts";

/** What runs at a customer's; the examples of the guide name kinds as its readers will. */
const PRODUCT: readonly string[] = ["engine/src", "server/src"];
const EXEMPT = /^(engine\/src\/tasks|server\/src\/api\/guide)\//;

export interface NamedKind {
  /** From 1. */
  readonly line: number;
  readonly kind: string;
}

/** Comments are left out by line: whole ones, and what follows `//` after a blank. */
export function namedKinds(source: string, kinds: readonly string[]): NamedKind[] {
  const names = kinds.join("|");
  const named = new RegExp(
    `(["'\`])(${names})\\1|(?:^|[{,(?])\\s*(${names})\\??:|\\.(${names})\\b`,
    "g",
  );
  return source.split("\n").flatMap((text, index) => {
    if (/^\s*(\/?\*|\/\/)/.test(text)) return [];
    const code = text.replace(/(^|\s)\/\/.*$/, "");
    return [...code.matchAll(named)].map(([, , quoted, key, member]) => ({
      line: index + 1,
      kind: quoted ?? key ?? member,
    }));
  });
}

/** One sentence for each place. */
export function taskKindFaults(root: string, kinds: readonly string[]): string[] {
  return PRODUCT.flatMap((folder) =>
    productSources(root, folder)
      .filter((path) => !EXEMPT.test(path))
      .flatMap((path) =>
        namedKinds(readFileSync(join(root, path), "utf8"), kinds).map(
          ({ line, kind }) =>
            `${path}:${line} names the task kind "${kind}". Ask its TaskType (engine/src/tasks/task-type.ts) for what depends on it; only engine/src/tasks/ names kinds.`,
        ),
      ),
  );
}
