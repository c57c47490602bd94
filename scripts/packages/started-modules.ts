/**
 * Where modules name a place by `import.meta.url`: their own, or that of a module which they start by
 * `new URL("./thread.ts", import.meta.url)` or the engine's `ownModule("thread", import.meta.url)`.
 */

import { basename, dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "rolldown/utils";

const root = fileURLToPath(new URL("../../", import.meta.url));

export const relativePath = (from: string, file: string): string =>
  relative(from, file).split(sep).join("/");

/** Modules of threads and processes have names of their own in the one folder of a bundle. */
export function entryName(file: string): string {
  const path = relativePath(root, file).replace(/\.ts$/, "");
  const name = path.startsWith("engine/")
    ? basename(path)
    : path.replace(/^server\/src\//, "").replaceAll("/", "-");
  return `${name}.js`;
}

interface Place {
  readonly start: number;
  readonly end: number;
  /** The module that is started here; null = this is the module's own place. */
  readonly started: string | null;
}

/** In the order of the code. @param id the module's file */
function placesIn(code: string, id: string): Place[] {
  const places: Place[] = [];
  const add = ({ start, end }: { start: number; end: number }, path: string | null): void => {
    places.push({ start, end, started: path === null ? null : resolve(dirname(id), path) });
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
    MemberExpression(node) {
      const { object, property } = node;
      if (object.type !== "MetaProperty" || object.meta.name !== "import") return;
      if (property.type !== "Identifier" || property.name !== "url") return;
      if (!places.some(({ start, end }) => start <= node.start && node.end <= end)) add(node, null);
    },
  }).visit(parseSync(id, code).program);
  return places.sort((a, b) => a.start - b.start);
}

/** Puts something in the place of each that `textOf` has one for; lines stay where they are. */
export function replaced(
  code: string,
  id: string,
  textOf: (started: string | null) => string | null,
): string {
  return placesIn(code, id).reduceRight((text, { start, end, started }) => {
    const put = textOf(started);
    if (put === null) return text;
    const lines = text.slice(start, end).split("\n").length - 1;
    return text.slice(0, start) + put + "\n".repeat(lines) + text.slice(end);
  }, code);
}
