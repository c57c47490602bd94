/**
 * Modules that run in threads and processes of their own, as the sources name them: by
 * `new URL("./thread.ts", import.meta.url)`, or the engine's `ownModule("thread", import.meta.url)`.
 */

import { basename, dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type parseSync, Visitor } from "rolldown/utils";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** An expression that names one. */
interface Start {
  /** Its source. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** @param id path of the module whose program it is */
export function startsIn(program: ReturnType<typeof parseSync>["program"], id: string): Start[] {
  const found: Start[] = [];
  const add = ({ start, end }: { start: number; end: number }, path: string): void => {
    found.push({ file: resolve(dirname(id), path), start, end });
  };
  new Visitor({
    NewExpression(node) {
      const [path] = node.arguments;
      if (node.callee.type !== "Identifier" || node.callee.name !== "URL") return;
      if (path?.type !== "Literal" || typeof path.value !== "string") return;
      if (path.value.endsWith(".ts")) add(node, path.value);
    },
    CallExpression(node) {
      const [name] = node.arguments;
      if (node.callee.type !== "Identifier" || node.callee.name !== "ownModule") return;
      if (name?.type === "Literal") add(node, `./${name.value}.ts`);
    },
  }).visit(program);
  return found;
}

/** The file that one of them becomes: they have names of their own in the one folder of a bundle. */
export function startedName(file: string): string {
  const path = relative(root, file).split(sep).join("/").replace(/\.ts$/, "");
  return path.startsWith("engine/")
    ? `${basename(path)}.js`
    : `${path.replace(/^server\/src\//, "").replaceAll("/", "-")}.js`;
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Lines stay where they are. */
export function edited(code: string, edits: readonly Edit[]): string {
  return edits.reduceRight((text, { start, end, text: put }) => {
    const lines = text.slice(start, end).split("\n").length - 1;
    return text.slice(0, start) + put + "\n".repeat(lines) + text.slice(end);
  }, code);
}
