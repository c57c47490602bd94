/**
 * What a JSON file has that DuckDB's reader takes without a word, or dies of: it goes through what is nested by
 * recursion, takes the first of equal members, and reads NaN and Infinity, which JSON does not have. Uploads refuse
 * the same.
 */

import { MemberNames } from "./member-names.ts";
import { unpacked } from "./packed-file.ts";

const MOST_LEVELS = 1000;
/** Of a name that is shown. */
const SHOWN_CHARACTERS = 100;
const MOST_NAME_BYTES = 1 << 20;

const [QUOTE, BACKSLASH, LINE, COMMA, COLON] = [0x22, 0x5c, 0x0a, 0x2c, 0x3a];
const [SPACE, MINUS] = [0x20, 0x2d];
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
/** `]` and `}` are two behind their opening brackets. */
const CLOSING = 2;
const [UPPER_N, LOWER_N, UPPER_I, LOWER_I, UPPER_A, LOWER_A] = [0x4e, 0x6e, 0x49, 0x69, 0x41, 0x61];

/** @throws Error at the first fault, with its line */
export async function checkJson(path: string): Promise<void> {
  const faults = new JsonFaults();
  for await (const bytes of unpacked(path)) faults.read(bytes);
}

class JsonFaults {
  #line = 1;
  #depth = 0;
  /** The names of the objects that are open, none of lists, by their depth. */
  readonly #levels: (MemberNames | null)[] = [];
  /** Of objects of a depth, whether one is open there or not. */
  readonly #ofDepth: MemberNames[] = [];
  #names: MemberNames | null = null;
  /** Whether a text that begins is a member's name. */
  #isNameNext = false;
  #isText = false;
  #isName = false;
  #nameBytes = 0;
  #isEscaped = false;
  /** The last bytes outside of texts that are not blank. */
  #last = COMMA;
  #lastButOne = COMMA;
  #isBroken = false;

  /** What is no JSON at all is left to DuckDB, which says where. */
  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#isBroken; at++) {
      const byte = bytes[at]!;
      if (byte === LINE) {
        this.#line++;
        // No text goes on behind it.
        this.#isBroken = this.#isText;
      }
      if (!this.#isText) this.#readOutside(byte);
      else if (this.#isEscaped) {
        this.#isEscaped = false;
        if (this.#isName) this.#addToName(byte);
      } else if (byte === QUOTE) this.#endText();
      else {
        this.#isEscaped = byte === BACKSLASH;
        if (this.#isName) this.#addToName(byte);
        else if (!this.#isEscaped) at = beforeMark(bytes, at);
      }
    }
  }

  #addToName(byte: number): void {
    if (++this.#nameBytes > MOST_NAME_BYTES) {
      throw new Error(
        `line ${this.#line} has a member's name of more than ${MOST_NAME_BYTES} bytes`,
      );
    }
    this.#names?.add(byte);
  }

  #readOutside(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#isText = true;
        this.#isName = this.#isNameNext;
        this.#nameBytes = 0;
        if (this.#isName) this.#names?.beginName();
        break;
      case COLON:
        this.#isNameNext = false;
        break;
      case COMMA:
        this.#isNameNext = this.#names !== null;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#open(byte === OPEN_OBJECT);
        break;
      case OPEN_LIST + CLOSING:
      case OPEN_OBJECT + CLOSING:
        this.#close();
        break;
      case UPPER_N:
      case UPPER_I:
      case LOWER_I:
        if (beginsValue(this.#last)) throw this.#noNumber();
        break;
      case UPPER_A:
      case LOWER_A:
        if (this.#last === LOWER_N && beginsValue(this.#lastButOne)) throw this.#noNumber();
    }
    if (byte <= SPACE) return;
    this.#lastButOne = this.#last;
    this.#last = byte;
  }

  #open(isObject: boolean): void {
    if (++this.#depth > MOST_LEVELS) {
      throw new Error(`line ${this.#line} is nested more than ${MOST_LEVELS} levels deep`);
    }
    this.#names = isObject ? this.#namesHere() : null;
    this.#levels[this.#depth] = this.#names;
    this.#isNameNext = isObject;
  }

  #namesHere(): MemberNames {
    const names = this.#ofDepth[this.#depth] ?? new MemberNames();
    this.#ofDepth[this.#depth] = names;
    names.begin();
    return names;
  }

  #close(): void {
    this.#depth--;
    this.#names = this.#levels[this.#depth] ?? null;
    this.#isNameNext = false;
  }

  #endText(): void {
    this.#isText = false;
    if (!this.#isName) return;
    this.#isName = false;
    const name = this.#names?.endName() ?? null;
    if (name === null) return;
    const shown = JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
    throw new Error(
      `line ${this.#line} has the member ${shown} more than once in an object; leave one of them`,
    );
  }

  #noNumber(): Error {
    return new Error(
      `line ${this.#line} is not JSON, which has no NaN or Infinity: leave the member out where a number is missing`,
    );
  }
}

/** The place before the next quote, backslash or line's end. */
function beforeMark(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1];
    if (next === QUOTE || next === BACKSLASH || next === LINE) break;
  }
  return at;
}

/** Whether a word behind a byte is a value, or the rest of one with a sign. */
const beginsValue = (byte: number): boolean =>
  byte === COLON || byte === COMMA || byte === OPEN_LIST || byte === MINUS;
