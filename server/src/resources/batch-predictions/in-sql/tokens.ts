/**
 * A statement of DuckDB's dialect as tokens, as its own lexer cuts it (`scan.l`): what stands in strings,
 * quoted names and comments is never taken for anything else.
 */

export interface Token {
  readonly kind: "word" | "quoted" | "string" | "number" | "parameter" | "mark";
  /** As it is written; a mark is one character. */
  readonly text: string;
  /** In UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

const WORD = /[\p{L}_\u{80}-\u{10FFFF}](?:[\p{L}\d_$]|(?!\s)[\u{80}-\u{10FFFF}])*/uy;
const NUMBER = /(?:\d|\.\d)[\w.]*/y;
const PARAMETER = /\$(?:\d+|[A-Za-z_]\w*)|\?/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u{80}-\u{10FFFF}][\w\u{80}-\u{10FFFF}]*)?\$/uy;

/** Whatever is not ended reaches to the end of the statement. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    const gap = gapAt(sql, at);
    if (gap > at) {
      at = gap;
      continue;
    }
    const token = tokenAt(sql, at);
    tokens.push(token);
    at = token.to;
  }
  return tokens;
}

/** Where the blanks and the comment end that begin there. */
function gapAt(sql: string, at: number): number {
  if (/\s/.test(sql[at] ?? "")) return at + 1;
  if (sql.startsWith("--", at)) {
    const end = sql.slice(at).search(/[\n\r]/);
    return end < 0 ? sql.length : at + end;
  }
  if (!sql.startsWith("/*", at)) return at;
  // Comments of this kind nest.
  let depth = 1;
  let end = at + 2;
  for (; depth > 0 && end < sql.length; ) {
    if (sql.startsWith("/*", end)) [depth, end] = [depth + 1, end + 2];
    else if (sql.startsWith("*/", end)) [depth, end] = [depth - 1, end + 2];
    else end += 1;
  }
  return end;
}

function tokenAt(sql: string, at: number): Token {
  const token = (kind: Token["kind"], to: number): Token => ({
    kind,
    text: sql.slice(at, to),
    from: at,
    to,
  });
  const first = sql[at] ?? "";
  if (first === "'") return token("string", quotedEnd(sql, at, "'"));
  if (first === '"') return token("quoted", quotedEnd(sql, at, '"'));
  if (/[Ee]/.test(first) && sql[at + 1] === "'") return token("string", escapedEnd(sql, at + 1));
  const dollar = matchAt(DOLLAR_QUOTE, sql, at);
  if (dollar !== null) {
    const end = sql.indexOf(dollar, at + dollar.length);
    return token("string", end < 0 ? sql.length : end + dollar.length);
  }
  for (const [kind, pattern] of [
    ["parameter", PARAMETER],
    ["word", WORD],
    ["number", NUMBER],
  ] as const) {
    const text = matchAt(pattern, sql, at);
    if (text !== null) return token(kind, at + text.length);
  }
  return token("mark", at + 1);
}

function matchAt(pattern: RegExp, sql: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? null;
}

/** A quote in it is written twice. */
function quotedEnd(sql: string, at: number, quote: string): number {
  for (let end = sql.indexOf(quote, at + 1); end >= 0; end = sql.indexOf(quote, end + 2)) {
    if (sql[end + 1] !== quote) return end + 1;
  }
  return sql.length;
}

/** A backslash takes what follows it with it. */
function escapedEnd(sql: string, at: number): number {
  for (let end = at + 1; end < sql.length; end++) {
    if (sql[end] === "\\") end += 1;
    else if (sql[end] === "'" && sql[end + 1] === "'") end += 1;
    else if (sql[end] === "'") return end + 1;
  }
  return sql.length;
}

/** What a string says; null of one with escapes, which nothing here needs. */
export function stringValue({ kind, text }: Token): string | null {
  if (kind !== "string") return null;
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  const dollar = matchAt(DOLLAR_QUOTE, text, 0);
  return dollar === null ? null : text.slice(dollar.length, -dollar.length);
}
