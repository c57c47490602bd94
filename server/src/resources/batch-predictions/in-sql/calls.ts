/**
 * Calls of `predict(…)` in a statement, where a table stands:
 *
 *   predict('model', TABLE rows | name | (SELECT …) [, option := value …])
 *
 * Each is taken out: a name stands in its place, and its rows become a statement of their own. Every token
 * that stays keeps its line and column, so that what is said of either statement holds for the whole.
 */

import { DataError } from "@distillery/engine";
import { type Definition, nameOf, Scopes } from "./scopes.ts";
import { stringValue, type Token, tokensOf } from "./tokens.ts";

/** What is written for the model or an option. */
export type Argument =
  | { readonly kind: "value"; readonly value: string | number | boolean }
  /** Without its `$`. */
  | { readonly kind: "parameter"; readonly name: string };

export interface PredictCall {
  readonly model: Argument;
  /** By name, in lower case. */
  readonly options: ReadonlyMap<string, Argument>;
  /** A statement that selects the rows. */
  readonly rows: string;
  /** Names of the parameters in it, in lower case. */
  readonly rowsParameters: ReadonlySet<string>;
  /** The catalog in whose schema `main` the predictions are the table `predict`. */
  readonly catalog: string;
  /** ` (line 2, column 15)`. */
  readonly place: string;
}

export interface SplitStatement {
  readonly calls: readonly PredictCall[];
  /** The statement over the tables in place of the calls. */
  readonly sql: string;
  /** Of the parameters in it. */
  readonly parameters: ReadonlySet<string>;
  /** Of all, as they are written: "1", "2", … or names. */
  readonly written: readonly string[];
}

/** What is said to who writes a call in another way, or in another place. */
export const HOW_TO_CALL =
  "write SELECT … FROM predict('model', TABLE rows) or predict('model', (SELECT …)), and options as name := value";

const MOST_CALLS = 32;

/** @returns null where there is no call @throws DataError where a call is written wrongly */
export function splitCalls(written: string): SplitStatement | null {
  if (!/\bpredict\b/i.test(written)) return null;
  if (places(tokensOf(written)).length === 0) return null;
  const { sql, names } = withNamedParameters(written);
  const tokens = tokensOf(sql);
  const found = places(tokens);
  if (found.length > MOST_CALLS) {
    throw new DataError(`A statement calls predict at most ${MOST_CALLS} times.`);
  }
  const calls: PredictCall[] = [];
  const kept = new Pieces(sql);
  let from = 0;
  const outside: Token[] = [];
  let index = 0;
  for (const [number, place] of found.entries()) {
    const { call, end } = read(sql, tokens, place, `__p${number}`);
    calls.push(call);
    const start = tokens[place.index]?.from ?? 0;
    const after = tokens[end]?.to ?? sql.length;
    kept.keep(from, start);
    kept.write(start, `${call.catalog}.predict`);
    from = after;
    outside.push(...tokens.slice(index, place.index));
    index = end + 1;
  }
  kept.keep(from, sql.length);
  outside.push(...tokens.slice(index));
  return { calls, sql: kept.text(), parameters: parametersIn(outside), written: names };
}

interface Place {
  /** Of the word `predict`. */
  readonly index: number;
  readonly definitions: readonly Definition[];
  readonly isRecursive: boolean;
}

/** Calls that stand in no other call. */
function places(tokens: readonly Token[]): Place[] {
  const scopes = new Scopes();
  const found: Place[] = [];
  let depth = 0;
  let within: number | null = null;
  for (const [index, token] of tokens.entries()) {
    const isCall =
      within === null &&
      token.kind === "word" &&
      token.text.toLowerCase() === "predict" &&
      tokens[index + 1]?.text === "(" &&
      scopes.isTablePlace;
    if (isCall) {
      const { definitions, isRecursive } = scopes;
      found.push({ index, definitions, isRecursive });
      within = depth;
    }
    scopes.pass(token);
    if (token.text === "(") depth += 1;
    if (token.text === ")") {
      depth -= 1;
      if (depth === within) within = null;
    }
  }
  return found;
}

/** The name of a parameter that is told by its place. */
export const nameOfPlace = (place: number | string): string => `p${place}`;

/** Parameters by position get names: of those in a part of a statement, some would have no place. */
function withNamedParameters(sql: string): {
  readonly sql: string;
  readonly names: readonly string[];
} {
  const names = new Set<string>();
  let count = 0;
  let text = "";
  let from = 0;
  for (const token of tokensOf(sql)) {
    if (token.kind !== "parameter") continue;
    if (token.text === "?") count += 1;
    const name = token.text === "?" ? String(count) : token.text.slice(1);
    names.add(name);
    if (!/^\d/.test(name)) continue;
    text += `${sql.slice(from, token.from)}$${nameOfPlace(name)}`;
    from = token.to;
  }
  return { sql: text + sql.slice(from), names: [...names] };
}

const parametersIn = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(
    tokens
      .filter(({ kind }) => kind === "parameter")
      .map(({ text }) => text.slice(1).toLowerCase()),
  );

/** Parts of a statement, where they were; blanks stand between them. */
class Pieces {
  readonly #sql: string;
  readonly #pieces: { readonly at: number; readonly text: string }[] = [];

  constructor(sql: string) {
    this.#sql = sql;
  }

  keep(from: number, to: number): void {
    this.write(from, this.#sql.slice(from, to));
  }

  write(at: number, text: string): void {
    this.#pieces.push({ at, text });
  }

  text(): string {
    let text = "";
    let at = 0;
    for (const piece of this.#pieces) {
      const from = Math.max(at, piece.at);
      text += this.#blank(at, from) + piece.text;
      at = from + piece.text.length;
      const covered = this.#sql.slice(from, at);
      // A line that ends below the piece ends behind it.
      if (covered !== piece.text && covered.includes("\n")) at = from + covered.indexOf("\n");
    }
    return text + this.#blank(at, this.#sql.length);
  }

  #blank(from: number, to: number): string {
    return from < to ? this.#sql.slice(from, to).replace(/[^\n]/g, " ") : "";
  }
}

/** Where the call ends, at its bracket, and what it says. */
function read(
  sql: string,
  tokens: readonly Token[],
  place: Place,
  catalog: string,
): { readonly call: PredictCall; readonly end: number } {
  const reader = new CallReader(sql, tokens, place.index + 2);
  const model = reader.argument("the model, as a text in quotes");
  if (model.kind === "value" && typeof model.value !== "string") {
    throw reader.fault("the model, as a text in quotes");
  }
  reader.mark(",", "a comma and the rows");
  const [first, last] = reader.rows();
  const options = new Map<string, Argument>();
  while (reader.next().text === ",") {
    reader.mark(",", "an option");
    const { name, value } = reader.option();
    if (options.has(name)) throw reader.fault(`the option ${name} once`);
    options.set(name, value);
  }
  const end = reader.mark(")", "the bracket that ends the call, or a further option");
  const { rows, parameters } = statementOf(sql, tokens.slice(first, last + 1), tokens, place);
  const start = tokens[place.index]?.from ?? 0;
  return {
    end,
    call: {
      ...{ model, options, rows, catalog },
      rowsParameters: parameters,
      place: placeOf(sql, start),
    },
  };
}

/** The rows as a statement, with the common table expressions that it needs before it. */
function statementOf(
  sql: string,
  rows: readonly Token[],
  tokens: readonly Token[],
  { definitions, isRecursive }: Place,
): { readonly rows: string; readonly parameters: ReadonlySet<string> } {
  const needed = neededBy(rows, definitions, tokens);
  const pieces = new Pieces(sql);
  const used = [...rows];
  for (const [index, { from, to }] of needed.entries()) {
    const before = index === 0 ? (isRecursive ? "WITH RECURSIVE " : "WITH ") : ", ";
    pieces.write(from - before.length, before);
    pieces.keep(from, to);
    used.push(...tokens.filter((token) => token.from >= from && token.to <= to));
  }
  const [first] = rows;
  const start = first?.from ?? 0;
  // A name alone is a table; what stands before it in the call is longer than this.
  if (first?.text !== "(" && first?.text.toUpperCase() !== "TABLE")
    pieces.write(start - 6, "TABLE ");
  pieces.keep(start, rows.at(-1)?.to ?? start);
  return { rows: pieces.text().trimEnd(), parameters: parametersIn(used) };
}

/** Those whose names are said, and those that they need, in their order. */
function neededBy(
  rows: readonly Token[],
  definitions: readonly Definition[],
  tokens: readonly Token[],
): Definition[] {
  const named = new Set<string>();
  const say = (said: readonly Token[]) => {
    for (const token of said) {
      if (token.kind === "word" || token.kind === "quoted") named.add(nameOf(token));
    }
  };
  say(rows);
  const needed: Definition[] = [];
  // One sees those before it.
  for (const definition of definitions.toReversed()) {
    if (!named.has(definition.name)) continue;
    needed.unshift(definition);
    say(tokens.filter(({ from, to }) => from >= definition.from && to <= definition.to));
  }
  return needed;
}

class CallReader {
  readonly #sql: string;
  readonly #tokens: readonly Token[];
  #index: number;

  constructor(sql: string, tokens: readonly Token[], index: number) {
    this.#sql = sql;
    this.#tokens = tokens;
    this.#index = index;
  }

  next(): Token {
    const end = this.#sql.length;
    return this.#tokens[this.#index] ?? { kind: "mark", text: "", from: end, to: end };
  }

  fault(wanted: string): DataError {
    const { text, from } = this.next();
    const there = text === "" ? "the end of the statement" : text.slice(0, 40);
    return new DataError(
      `predict wants ${wanted}, where ${there} stands${placeOf(this.#sql, from)}; ${HOW_TO_CALL}.`,
    );
  }

  /** @returns its index */
  mark(text: string, wanted: string): number {
    if (this.next().text !== text) throw this.fault(wanted);
    return this.#index++;
  }

  argument(wanted: string): Argument {
    const token = this.next();
    if (token.kind === "parameter") {
      this.#index += 1;
      return { kind: "parameter", name: token.text.slice(1).toLowerCase() };
    }
    const text = stringValue(token);
    const value = text ?? (token.kind === "number" ? Number(token.text) : flagOf(token));
    if (value === null || Number.isNaN(value)) throw this.fault(wanted);
    this.#index += 1;
    return { kind: "value", value };
  }

  /** @returns the indexes of the first and the last token */
  rows(): readonly [first: number, last: number] {
    const wanted = "its rows: TABLE and a name, a name, or a query in brackets";
    const first = this.#index;
    if (this.next().text === "(") {
      this.#skipBrackets(wanted);
    } else {
      if (this.next().text.toUpperCase() === "TABLE") this.#index += 1;
      this.#name(wanted);
      while (this.next().text === ".") {
        this.#index += 1;
        this.#name(wanted);
      }
    }
    return [first, this.#index - 1];
  }

  option(): { readonly name: string; readonly value: Argument } {
    const token = this.next();
    if (token.kind !== "word") throw this.fault("the name of an option");
    this.#index += 1;
    if (this.next().text === ":") this.#index += 1;
    this.mark("=", "name := value");
    if (this.next().text === ">") this.#index += 1;
    return {
      name: nameOf(token),
      value: this.argument("a value: true, false, a number or a text"),
    };
  }

  #name(wanted: string): void {
    const { kind } = this.next();
    if (kind !== "word" && kind !== "quoted") throw this.fault(wanted);
    this.#index += 1;
  }

  #skipBrackets(wanted: string): void {
    let depth = 0;
    do {
      const { text } = this.next();
      if (text === "") throw this.fault(wanted);
      if (text === "(") depth += 1;
      if (text === ")") depth -= 1;
      this.#index += 1;
    } while (depth > 0);
  }
}

function flagOf({ kind, text }: Token): boolean | null {
  if (kind !== "word") return null;
  const word = text.toUpperCase();
  return word === "TRUE" ? true : word === "FALSE" ? false : null;
}

function placeOf(sql: string, at: number): string {
  const lines = sql.slice(0, at).split("\n");
  return ` (line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
}
