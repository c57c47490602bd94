/**
 * Asks a running server and keeps each answer as the example of its operation: identifiers replaced
 * by ones that stay the same from recording to recording, secrets and addresses of the machine by
 * ones that are nobody's, long lists cut short.
 */

import { createHash } from "node:crypto";

/** Items of a list that stay: of numbers and texts, and of anything larger. */
const SCALARS = 8;
const OBJECTS = 2;

/** Of a deletion, before it counts as refused: a minute and more. */
const MOST_REFUSALS = 300;

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

export type Json = Readonly<Record<string, unknown>>;

export interface Ask {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A session's, in place of the key. */
  readonly cookie?: string;
}

export class Recorder {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #answers: Record<string, unknown> = {};

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Asks `method path`, which must succeed; `operation` = keep the answer as that operation's. */
  async ask(operation: string | null, method: string, ask: Ask | string): Promise<Json> {
    const { path, body, headers, cookie } = typeof ask === "string" ? { path: ask } : ask;
    const raw = typeof body === "string";
    const request = {
      method,
      headers: {
        ...(cookie === undefined ? { authorization: `Bearer ${this.#key}` } : { cookie }),
        accept: "application/json",
        ...(body === undefined || raw ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    };
    let response = await fetch(this.#baseUrl + path, request);
    // A job that was cancelled holds what it works on until it has noticed, on a busy machine for a while.
    for (let i = 0; method === "DELETE" && response.status === 409 && i < MOST_REFUSALS; i++) {
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 200));
      response = await fetch(this.#baseUrl + path, request);
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    const answer: Json = JSON.parse(text);
    if (operation !== null) this.#answers[operation] = answer;
    return answer;
  }

  /** Asks until the answer's `status` is one that does not change any more. */
  async settled(path: string): Promise<Json> {
    for (;;) {
      const answer = await this.ask(null, "GET", path);
      if (answer["status"] === "completed") return answer;
      if (answer["status"] === "failed") throw new Error(`${path}: ${answer["error_message"]}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** What was kept, by operation; `replacements` are texts to put in place of others. */
  answers(replacements: readonly (readonly [string, string])[]): Json {
    let text = JSON.stringify(shortened(this.#answers));
    for (const [from, to] of replacements) text = text.replaceAll(from, to);
    const known = new Set(replacements.map(([, to]) => to));
    const ids = [...new Set(text.match(UUID))].filter((id) => !known.has(id));
    for (const [index, id] of ids.entries()) {
      const example = exampleId(index);
      text = text
        .replaceAll(id, example)
        .replaceAll(`"${id.slice(0, 8)}"`, `"${example.slice(0, 8)}"`);
    }
    text = text
      .replace(/dk_[A-Za-z0-9_-]{20,}/g, "dk_EXAMPLE")
      .replace(/("prefix":")dk_[^"]*/g, "$1dk_EXAMPLE")
      .replace(/("csrf_token":")[^"]*/g, "$1EXAMPLE")
      .replace(/\b(state|nonce|code_challenge)=[\w.-]+/g, "$1=EXAMPLE")
      .replace(/signature=[\w%-]+/g, "signature=EXAMPLE");
    return JSON.parse(text);
  }
}

/** A UUID of version 4 in form, the same for the same number. */
function exampleId(index: number): string {
  const hex = createHash("sha256").update(`example ${index}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const scalar = value.every((item) => typeof item !== "object" || item === null);
    return value.slice(0, scalar ? SCALARS : OBJECTS).map(shortened);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]));
}
