/**
 * JSON of request bodies: strict, bounded before it is parsed, and with the numbers that a double
 * cannot hold as they were written. A large body is parsed by a thread, so that the loop serves on.
 */

import { ComputePool, repeatedMember, type ThrownError, writtenMembers } from "@distillery/engine";
import { ExactInteger } from "./exact-integer.ts";
import { findExcess, findJsonFault } from "./json-fault.ts";
import { UnprocessableError, unprocessable } from "./problem.ts";
import { maySayUnstorable, refuseUnstorable } from "./storable-text.ts";

/** Deeper nesting than this is no request of this service's, and recursion has a floor. */
export const JSON_DEPTH_LIMIT = 100;
/** Characters, as it is written: names are hashed, compared and repeated wherever they stand. */
export const JSON_NAME_LIMIT = 64 * 1024;
/** So many values are validated on the loop, in some ten milliseconds whatever is wrong with them. */
export const JSON_VALUES_LIMIT = 10_000;
/** Up to here parsing on the loop takes less time than asking a thread. */
const ON_THE_LOOP_BYTES = 128 * 1024;
const THREADS = 2;

export interface JsonOptions {
  /** Largest number of values: texts, numbers, lists, objects and so on. */
  readonly values?: number | undefined;
  /** See `OperationMeta`. */
  readonly exactIntegers?: boolean | undefined;
}

/** A number as it was written, where the double of it is another. */
interface WrittenNumber {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** What a thread gives back. */
export interface ParsedJson {
  readonly value: unknown;
  readonly written: readonly WrittenNumber[];
}

let threads: ComputePool | null = null;

/**
 * As `parseCells`, with integers as numbers; the loop is held for some milliseconds however large the
 * body is.
 *
 * @param bytes given away: a thread may take their memory
 */
export async function parseBody(bytes: Uint8Array, options: JsonOptions = {}): Promise<unknown> {
  const { values = JSON_VALUES_LIMIT } = options;
  if (bytes.length <= ON_THE_LOOP_BYTES) return remembered(readJson(bytes, values), options);
  // Idle threads end by themselves, and keep no process from its end.
  threads ??= new ComputePool(new URL("./json-task.ts", import.meta.url), THREADS, revived);
  const read = threads.run<object, ParsedJson>("read", { bytes, values }, { given: [bytes] });
  return remembered(await read, options);
}

function revived({ name, members }: ThrownError): Error | undefined {
  const { detail } = members;
  return name === "UnprocessableError" && Array.isArray(detail)
    ? new UnprocessableError(detail)
    : undefined;
}

/**
 * Strict UTF-8, bounded nesting and number of values, no text that cannot be kept, no member that its object has
 * already: the last would count, and whatever else reads the body may take the first. An integer beyond 2^53 is a text of its digits.
 *
 * @throws UnprocessableError (`json_invalid`, or `value_error` for too many values)
 */
export function parseCells(bytes: Uint8Array, values: number): unknown {
  const text = boundedText(bytes, values);
  const value = checked(text);
  // Most long numbers are fractions, and a second reading is worth its time for integers alone.
  if (!LONG_INTEGER.test(text)) return value;
  for (const { path, text: digits } of writtenNumbers(text)) {
    const holder = path.slice(0, -1).reduce<unknown>(memberOf, value);
    const key = path.at(-1);
    if (
      !/^-?\d+$/.test(digits) ||
      typeof holder !== "object" ||
      holder === null ||
      key === undefined
    )
      continue;
    Reflect.set(holder, key, digits);
  }
  return value;
}

const LONG_INTEGER = /(?:^|[^\d.])\d{16,}(?![\d.eE])/;

/** As `parseCells`, with integers as numbers, and beside them what doubles cannot hold. */
export function readJson(bytes: Uint8Array, values: number): ParsedJson {
  const text = boundedText(bytes, values);
  const value = checked(text);
  return { value, written: MAY_BE_INEXACT.test(text) ? writtenNumbers(text) : [] };
}

/** @throws UnprocessableError (`json_invalid`) */
export function strictText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw jsonInvalid(0, "the body is not valid UTF-8");
  }
}

/**
 * Refuses what `parseBody` refuses of a text within its limits, for who parses it again.
 *
 * @throws UnprocessableError
 */
export const checkJson = (text: string): void => void checked(text);

function boundedText(bytes: Uint8Array, values: number): string {
  const text = strictText(bytes);
  const excess = findExcess(text, { depth: JSON_DEPTH_LIMIT, values, name: JSON_NAME_LIMIT });
  if (excess === null) return text;
  if (excess.of === "depth") {
    throw jsonInvalid(excess.position, `nested deeper than ${JSON_DEPTH_LIMIT} levels`);
  }
  if (excess.of === "name") {
    throw unprocessable(
      ["body", excess.position],
      `a member's name holds at most ${JSON_NAME_LIMIT} characters`,
      { ctx: { max_length: JSON_NAME_LIMIT } },
    );
  }
  throw unprocessable(["body"], `a body of this operation holds at most ${values} values`, {
    ctx: { max_values: values },
  });
}

function checked(text: string): unknown {
  const value = parsed(text);
  if (writtenMembers(text) > memberCount(value)) refuseRepeated(text);
  if (maySayUnstorable(text)) refuseUnstorable(value, ["body"]);
  if (MAY_NAME_PROTO.test(text)) refuseProto(value, ["body"]);
  return value;
}

function memberCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) if (typeof member === "object") count += memberCount(member);
  return count;
}

function refuseRepeated(text: string): void {
  const path = repeatedMember(text);
  if (path !== null) throw unprocessable(["body", ...path], "a member may be named but once");
}

/** The name itself, or an escape that may spell a part of it. */
const MAY_NAME_PROTO = /__proto__|\\u00(?:5f|6f|7[024])/i;

/**
 * A member of this name is no member like others to much of what handles objects, and would be lost
 * on its way without a word.
 */
function refuseProto(value: unknown, loc: readonly (string | number)[]): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = [...loc, Array.isArray(value) ? Number(key) : key];
    if (key === "__proto__") throw unprocessable(at, "no member may be named '__proto__'");
    refuseProto(member, at);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = findJsonFault(text);
    if (fault === null) throw error;
    throw jsonInvalid(fault.position, fault.reason);
  }
}

const jsonInvalid = (position: number, error: string): UnprocessableError =>
  new UnprocessableError([
    {
      loc: ["body", position],
      msg: "JSON decode error",
      type: "json_invalid",
      input: {},
      ctx: { error },
    },
  ]);

/** Doubles hold 15 digits of any number, and exponents of two digits. */
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

function writtenNumbers(text: string): WrittenNumber[] {
  const found = new Map<object, Map<string, string>>();
  const root: unknown = JSON.parse(
    text,
    function (this: object, key: string, value: unknown, context?: { readonly source?: string }) {
      const source = context?.source;
      if (typeof value === "number" && source !== undefined && !isExact(source, value)) {
        const of = found.get(this) ?? new Map<string, string>();
        found.set(this, of.set(key, source));
      }
      return value;
    },
  );
  const places: WrittenNumber[] = [];
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value !== "object" || value === null) return;
    const numbers = found.get(value);
    for (const [key, member] of Object.entries(value)) {
      const at = [...path, Array.isArray(value) ? Number(key) : key];
      const source = numbers?.get(key);
      if (source === undefined) visit(member, at);
      else places.push({ path: at, text: source });
    }
  };
  visit(root, []);
  return places;
}

/** Whether the shortest text of the double names the number that was written, and no other does. */
function isExact(source: string, value: number): boolean {
  // Others are written with digits of their own and give the same double.
  if (/^-?\d+$/.test(source) && !Number.isSafeInteger(value)) return false;
  return Number.isFinite(value) && decimal(source) === decimal(String(value));
}

/** One text for all ways to write a decimal number: its digits, and the power of ten of the last. */
function decimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** By what holds them: members and items as they were written. */
const inexact = new WeakMap<object, Map<PropertyKey, string>>();

function remembered({ value, written }: ParsedJson, { exactIntegers = false }: JsonOptions) {
  for (const { path, text } of written) {
    const holder = path.slice(0, -1).reduce<unknown>(memberOf, value);
    const key = path.at(-1);
    if (typeof holder !== "object" || holder === null || key === undefined) continue;
    const of = inexact.get(holder) ?? new Map<PropertyKey, string>();
    inexact.set(holder, of.set(key, text));
    if (exactIntegers && /^-?\d+$/.test(text)) Reflect.set(holder, key, new ExactInteger(text));
  }
  return value;
}

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

/** How a number of a body was written, where its double is another; undefined elsewhere. */
export const writtenNumber = (holder: object, key: PropertyKey): string | undefined =>
  inexact.get(holder)?.get(key);
