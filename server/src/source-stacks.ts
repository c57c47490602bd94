/**
 * Stack traces of a bundle that name the lines of its sources. Node does so as well, but reads and parses every
 * map when its module is loaded, which is a third of what a start takes of the processor; here only
 * a trace that somebody looks at does.
 */

import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** `file:///…/dist/bundle-1/app.js:12:34`: the file's name, line and column. */
const placesIn = (folder: string): RegExp => {
  const start = pathToFileURL(join(folder, "/")).href.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`${start}([^/:()\\s]+):(\\d+):(\\d+)`, "g");
};

/** For the errors of this thread. @param folder of the bundle */
export function nameSources(folder: string): void {
  const format = Error.prepareStackTrace;
  if (format === undefined) {
    // A Node that lets nobody call what it writes traces by.
    process.setSourceMapsEnabled(true);
    return;
  }
  const named = sourcesOf(folder);
  Error.prepareStackTrace = (error, frames) => {
    const trace: unknown = format(error, frames);
    return typeof trace === "string" ? named(trace) : trace;
  };
}

/** @returns the trace, whose places in files of the folder are those of their sources, as far as these have maps */
export function sourcesOf(folder: string): (trace: string) => string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (name: string): SourceMap | null => {
    let map = maps.get(name);
    if (map === undefined) {
      const file = join(folder, `${name}.map`);
      map = existsSync(file) ? new SourceMap(payloadOf(readFileSync(file, "utf8"))) : null;
      maps.set(name, map);
    }
    return map;
  };
  const places = placesIn(folder);
  return (trace) =>
    trace.replace(places, (place, name: string, line: string, column: string) => {
      const origin = mapOf(name)?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !("fileName" in origin)) return place;
      const { fileName, lineNumber, columnNumber } = origin;
      const source = fileURLToPath(new URL(fileName, pathToFileURL(join(folder, name))));
      return `${source}:${lineNumber}:${columnNumber}`;
    });
}

const payloadOf = (text: string): ConstructorParameters<typeof SourceMap>[0] => JSON.parse(text);
