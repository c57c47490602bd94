/**
 * Where a token of a statement stands: whether a table may stand there, and which common table
 * expressions are seen from there.
 */

import type { Token } from "./tokens.ts";

/** A common table expression, from its name to the bracket that ends it. */
export interface Definition {
  /** In lower case, without quotes. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface WithList {
  readonly definitions: Definition[];
  isRecursive: boolean;
  /** What is waited for: a name, its AS, its body, a comma, or nothing more. */
  next: "name" | "as" | "body" | "comma" | "end";
  open: Omit<Definition, "to"> | null;
}

/** A statement, or what stands in a pair of brackets. */
interface Frame {
  /** Whether what stands between commas is a table each. */
  isFrom: boolean;
  isEmpty: boolean;
  list: WithList | null;
}

/** Ends a list of tables. */
const OTHER_CLAUSES = new Set([
  ...["SELECT", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET"],
  ...["UNION", "INTERSECT", "EXCEPT", "VALUES"],
]);
const BEFORE_TABLE = new Set(["FROM", "JOIN", "PIVOT", "UNPIVOT"]);
const BEFORE_STATEMENT = new Set(["DESCRIBE", "SUMMARIZE"]);

export class Scopes {
  readonly #frames: Frame[] = [{ isFrom: false, isEmpty: true, list: null }];
  /** The token before the next one, in capitals where it is a word. */
  #before = "";

  /** Whether a table may stand where the next token stands. */
  get isTablePlace(): boolean {
    if (BEFORE_TABLE.has(this.#before)) return true;
    return (this.#before === "," || this.#before === "(") && this.#frame.isFrom;
  }

  /** Common table expressions that are seen here, outermost first. */
  get definitions(): readonly Definition[] {
    return this.#frames.flatMap(({ list }) => list?.definitions ?? []);
  }

  /** Whether one of their lists is `WITH RECURSIVE`. */
  get isRecursive(): boolean {
    return this.#frames.some(({ list }) => list?.isRecursive === true);
  }

  /** The next token, once it was asked where it stands. */
  pass(token: Token): void {
    const frame = this.#frame;
    const word = token.kind === "word" ? token.text.toUpperCase() : null;
    if (token.text === "(") {
      const isFrom = this.isTablePlace;
      frame.isEmpty = false;
      if (frame.list?.next === "comma") frame.list.next = "end";
      this.#frames.push({ isFrom, isEmpty: true, list: null });
    } else if (token.text === ")" && this.#frames.length > 1) {
      this.#frames.pop();
      bodyEnds(this.#frame.list, token);
    } else if (!(frame.isEmpty && word !== null && BEFORE_STATEMENT.has(word))) {
      // A name behind a point is a member, whatever it is.
      if (this.#before !== ".") this.#passIn(frame, token, word);
      frame.isEmpty = false;
    }
    // `a IS DISTINCT FROM b` is no list of tables.
    const isComparison = word === "FROM" && this.#before === "DISTINCT";
    this.#before = this.#before === "." || isComparison ? "" : (word ?? token.text);
  }

  get #frame(): Frame {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new TypeError("a statement has a frame");
    return frame;
  }

  #passIn(frame: Frame, token: Token, word: string | null): void {
    const { list } = frame;
    if (frame.isEmpty && word === "WITH") {
      frame.list = { definitions: [], isRecursive: false, next: "name", open: null };
    } else if (list !== null && list.next !== "end") {
      passInList(list, token, word);
    }
    if (word === "FROM" && this.#before !== "DISTINCT") frame.isFrom = true;
    else if (word !== null && OTHER_CLAUSES.has(word)) frame.isFrom = false;
  }
}

function passInList(list: WithList, token: Token, word: string | null): void {
  switch (list.next) {
    case "name":
      if (word === "RECURSIVE" && !list.isRecursive) list.isRecursive = true;
      else {
        list.open = { name: nameOf(token), from: token.from };
        list.next = "as";
      }
      return;
    case "as":
      if (word === "AS") list.next = "body";
      return;
    case "comma":
      list.next = token.text === "," ? "name" : "end";
      return;
    default:
  }
}

function bodyEnds(list: WithList | null, { to }: Token): void {
  if (list?.next !== "body" || list.open === null) return;
  list.definitions.push({ ...list.open, to });
  list.open = null;
  list.next = "comma";
}

/** A name as names are compared. */
export const nameOf = ({ kind, text }: Token): string =>
  (kind === "quoted" ? text.slice(1, -1).replaceAll('""', '"') : text).toLowerCase();
