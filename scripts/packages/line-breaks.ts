/**
 * Minified code in short lines: of an error that nobody caught, Node prints the whole line in which it was
 * thrown, which would be 350 kB of the predictor.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { parseSync } from "rolldown/utils";

/** Lines grow to the next place that is not in the middle of a statement, a sequence or an object. */
const LINE_CHARACTERS = 400;
/** Lists of nodes, each of which may begin a line. */
const LISTS = ["body", "consequent", "declarations", "properties", "expressions"];

/** @param file a module; written anew, and so is the map beside it where there is one */
export function breakLines(file: string): void {
  const code = readFileSync(file, "utf8");
  const breaks = breaksOf(code);
  const pieces = [0, ...breaks].map((from, i) => code.slice(from, breaks[i]));
  writeFileSync(file, pieces.join("\n"));
  const mapFile = `${file}.map`;
  if (!existsSync(mapFile)) return;
  const map = JSON.parse(readFileSync(mapFile, "utf8"));
  writeFileSync(
    mapFile,
    JSON.stringify({ ...map, mappings: brokenMappings(map.mappings, code, breaks) }),
  );
}

/** @returns offsets in rising order */
function breaksOf(code: string): number[] {
  const { program, errors } = parseSync("module.js", code);
  if (errors[0]) throw new Error(errors[0].message);
  const starts: number[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      if (Array.isArray(value) && LISTS.includes(name)) {
        // `return` has to stand before what it returns.
        for (const { start } of name === "expressions" ? value.slice(1) : value) starts.push(start);
      }
      walk(value);
    }
  };
  walk(program);
  const breaks: number[] = [];
  let lineStart = 0;
  // Looked for from where the last one was: from each start backwards it would be a line of 350 kB each time.
  let lineEnd = code.indexOf("\n");
  for (const start of starts.sort((a, b) => a - b)) {
    for (; lineEnd >= 0 && lineEnd < start; lineEnd = code.indexOf("\n", lineStart)) {
      lineStart = lineEnd + 1;
    }
    if (start - lineStart < LINE_CHARACTERS) continue;
    breaks.push(start);
    lineStart = start;
  }
  return breaks;
}

/** Of a source map: each of its lines becomes as many as it was broken into, their columns counted from their starts. */
function brokenMappings(mappings: string, code: string, breaks: readonly number[]): string {
  const lines = decode(mappings);
  let offset = 0;
  let next = 0;
  const broken = code.split("\n").flatMap((text, i) => {
    const starts = [0];
    for (; next < breaks.length && breaks[next]! <= offset + text.length; next++) {
      starts.push(breaks[next]! - offset);
    }
    offset += text.length + 1;
    const segments = lines[i] ?? [];
    return starts.map((from, j) => {
      const to = starts[j + 1] ?? Number.POSITIVE_INFINITY;
      const inside = segments.filter(([column]) => column >= from && column < to);
      for (const segment of inside) segment[0] -= from;
      return inside;
    });
  });
  return encode(broken);
}
