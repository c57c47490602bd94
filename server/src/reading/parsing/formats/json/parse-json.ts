/**
 * JSON as what a reader would make of it: members are lines of a label (the path to them, with dots) and
 * a value, lists of flat objects are tables, texts of several lines are texts. Numbers are as written,
 * what is null is not there.
 */

import { asOneLine } from "../../characters.ts";
import type { ParsingLimits } from "../../limits.ts";
import type { Block, Cell, Line, ParsedDocument } from "../../normal-form.ts";
import { parsePlainText } from "../text/parse-text.ts";
import { type Json, Numeral, readJson } from "./read-json.ts";

/** Null for what is no JSON. @throws DocumentFault `too_deep`, `too_large` */
export function parseJson(text: string, limits: ParsingLimits): ParsedDocument | null {
  const value = readJson(text, limits);
  if (value === undefined) return null;
  const writer = new JsonBlocks();
  writer.add("", value);
  writer.end();
  return {
    version: 1,
    mediaType: "application/json",
    title: null,
    pages: [{ number: 1, width: null, height: null, blocks: writer.blocks }],
    warnings: [],
  };
}

/** An address rather than a text. */
const SHORT_LINES = 8;
const SHORT_CHARACTERS = 120;

type Members = { readonly [name: string]: Json };

class JsonBlocks {
  readonly blocks: Block[] = [];
  #lines: Line[] = [];

  /** @param path names from the root, with dots; empty at the root */
  add(path: string, value: Json): void {
    if (Array.isArray(value)) this.#list(path, value);
    else if (isMembers(value)) this.#members(path, value);
    else this.#scalar(path, textOf(value));
  }

  end(): void {
    if (this.#lines.length > 0) this.blocks.push({ kind: "paragraph", lines: this.#lines });
    this.#lines = [];
  }

  #members(path: string, members: Members): void {
    for (const [name, value] of Object.entries(members)) {
      const isPart = path === "" && isMembers(value);
      if (isPart) this.end();
      this.add(joined(path, name), value);
      if (isPart) this.end();
    }
  }

  #list(path: string, values: readonly Json[]): void {
    const texts = values.map(textOf);
    if (texts.every((text) => text !== null)) {
      if (texts.some((text) => text !== "")) this.#line([path, ...texts]);
      return;
    }
    const rows = values.map((value) => (isMembers(value) ? flat(value) : null));
    const known = rows.filter((row) => row !== null);
    if (known.length === values.length && !isSparse(known)) {
      this.#heading(path);
      this.blocks.push(table(known));
      return;
    }
    for (const [index, value] of values.entries()) {
      this.end();
      this.add(joined(path, String(index)), value);
    }
    this.end();
  }

  #scalar(path: string, text: string | null): void {
    const lines = (text ?? "").split(/\r\n|[\n\r\f]/u).filter((line) => asOneLine(line) !== "");
    if (lines.length === 0) return;
    if (lines.length <= SHORT_LINES && lines.every(({ length }) => length <= SHORT_CHARACTERS)) {
      this.#line([path, lines[0]!]);
      for (const line of lines.slice(1)) this.#line([line]);
      return;
    }
    if (lines.length === 1) {
      this.#line([path, lines[0]!]);
      return;
    }
    this.#heading(path);
    this.blocks.push(...parsePlainText(text ?? "").pages.flatMap((page) => page.blocks));
  }

  #line(texts: readonly string[]): void {
    const spans = spansOf(texts);
    if (spans.length > 0) this.#lines.push({ spans });
  }

  #heading(path: string): void {
    this.end();
    const spans = spansOf([path]);
    if (spans.length > 0) this.blocks.push({ kind: "heading", level: 3, lines: [{ spans }] });
  }
}

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

const isMembers = (value: Json): value is { [name: string]: Json } =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Numeral);

/** Null for lists and objects; empty for null. */
function textOf(value: Json): string | null {
  if (value === null) return "";
  if (value instanceof Numeral) return value.source;
  return typeof value === "object" ? null : String(value);
}

function spansOf(texts: readonly string[]): Line["spans"] {
  return texts.flatMap((written) => {
    const text = asOneLine(written);
    return text === "" ? [] : { text, box: null };
  });
}

/** An object's values by their paths; null where a list of more than scalars is among them. */
function flat(members: Members, path = "", into = new Map<string, string>()): typeof into | null {
  for (const [name, value] of Object.entries(members)) {
    const at = joined(path, name);
    if (isMembers(value)) {
      if (flat(value, at, into) === null) return null;
      continue;
    }
    const texts = (Array.isArray(value) ? value : [value]).map(textOf);
    if (texts.includes(null)) return null;
    into.set(at, texts.filter((text) => text !== "").join(", "));
  }
  return into;
}

/** Objects that have little in common make a table of holes. */
function isSparse(rows: readonly ReadonlyMap<string, string>[]): boolean {
  const columns = new Set(rows.flatMap((row) => [...row.keys()])).size;
  const values = rows.reduce((sum, row) => sum + row.size, 0);
  return columns === 0 || columns * rows.length > 4 * values + 100;
}

/** A column for each path, in the order in which they are first met. */
function table(rows: readonly ReadonlyMap<string, string>[]): Block {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return {
    kind: "table",
    headerRows: 1,
    rows: [
      columns.map(cellOf),
      ...rows.map((row) => columns.map((column) => cellOf(row.get(column) ?? ""))),
    ],
  };
}

function cellOf(text: string): Cell {
  const lines = text.split(/\r\n|[\n\r\f]/u).map((line) => ({ spans: spansOf([line]) }));
  return { lines: lines.filter(({ spans }) => spans.length > 0) };
}
