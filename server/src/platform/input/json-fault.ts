/**
 * Where a text stops being JSON (RFC 8259) and what was expected there. Only walked after
 * `JSON.parse` has refused the text, so that the answer depends on no engine's wording.
 */

export interface JsonFault {
  /** 0-based, in UTF-16 units. */
  readonly position: number;
  readonly reason: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first fault of `text`, or null where it is JSON. Nesting costs no stack. */
export function findJsonFault(text: string): JsonFault | null {
  let at = 0;
  const stack: ("array" | "object")[] = [];
  const fault = (reason: string, position = at): JsonFault => ({ position, reason });
  const skip = (expression: RegExp): boolean => {
    expression.lastIndex = at;
    const match = expression.exec(text);
    if (match === null) return false;
    at += match[0].length;
    return true;
  };
  const string = (): JsonFault | null => {
    const start = at++;
    for (;;) {
      if (at >= text.length) return fault("unterminated string", start);
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        at++;
        return null;
      }
      if (code < 0x20) return fault("control character in a string");
      if (code === 0x5c) {
        if (!skip(ESCAPE)) return fault("invalid escape");
      } else at++;
    }
  };
  const key = (): JsonFault | null => {
    skip(SPACE);
    if (text[at] !== '"') return fault("expecting a member name enclosed in double quotes");
    const wrong = string();
    if (wrong !== null) return wrong;
    skip(SPACE);
    if (text[at] !== ":") return fault("expecting ':'");
    at++;
    return null;
  };

  for (;;) {
    skip(SPACE);
    const character = text[at];
    let opened = false;
    if (character === '"') {
      const wrong = string();
      if (wrong !== null) return wrong;
    } else if (character === "[" || character === "{") {
      at++;
      skip(SPACE);
      if (text[at] === (character === "[" ? "]" : "}")) at++;
      else {
        stack.push(character === "[" ? "array" : "object");
        opened = true;
        const wrong = character === "{" ? key() : null;
        if (wrong !== null) return wrong;
      }
    } else {
      const word = ["true", "false", "null"].find((one) => text.startsWith(one, at));
      if (word !== undefined) at += word.length;
      else if (!skip(NUMBER)) return fault("expecting a value");
    }
    if (opened) continue;
    for (;;) {
      skip(SPACE);
      const level = stack.at(-1);
      if (level === undefined) return at === text.length ? null : fault("extra data");
      const close = level === "array" ? "]" : "}";
      if (text[at] === close) {
        at++;
        stack.pop();
        continue;
      }
      if (text[at] !== ",") return fault(`expecting ',' or '${close}'`);
      at++;
      const wrong = level === "object" ? key() : null;
      if (wrong !== null) return wrong;
      break;
    }
  }
}

export interface JsonExcess {
  readonly of: "depth" | "values" | "name";
  /** 0-based, in UTF-16 units. */
  readonly position: number;
}

/**
 * Where a text passes a limit of nesting, of values (texts, numbers, lists, objects and so on) or of
 * the length of a member's name as it is written; null where it passes none. It need not be JSON, whose first fault may come before or behind.
 */
export function findExcess(
  text: string,
  {
    depth: deepest,
    values: most,
    name: longest,
  }: { readonly depth: number; readonly values: number; readonly name: number },
): JsonExcess | null {
  let depth = 0;
  const skipSpace = new RegExp(SPACE);
  const behindSpace = (from: number): number => {
    skipSpace.lastIndex = from;
    skipSpace.test(text);
    return skipSpace.lastIndex;
  };
  // One at the top; each further one is the first of a list or an object, or stands behind a comma.
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const start = at;
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) {
        if (text.charCodeAt(at) === 0x5c) at++;
      }
      if (at - start - 1 > longest && text.charCodeAt(behindSpace(at + 1)) === 0x3a) {
        return { of: "name", position: start };
      }
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) return { of: "depth", position: at };
      const next = text.charCodeAt(behindSpace(at + 1));
      const isEmpty = next === 0x5d || next === 0x7d;
      if (!isEmpty && ++values > most) return { of: "values", position: at };
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > most) return { of: "values", position: at };
  }
  return null;
}
