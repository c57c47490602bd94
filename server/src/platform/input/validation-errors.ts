/**
 * zod's issues in the words of pydantic 2, which the interface's 422 body speaks: the type names,
 * the messages and the `ctx` of pydantic's error catalogue.
 */
import { theClosest } from "@distillery/engine";
import { z } from "zod";
import { writtenNumber } from "./json.ts";
import { shownName, type ValidationErrorItem } from "./problem.ts";
import {
  alternatives,
  isInteger,
  isSecretAt,
  memberNames,
  requiredNames,
  schemasAt,
} from "./schema-view.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
/** What an issue becomes before its place is known. */
interface Fault {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

interface Scene {
  readonly root: unknown;
  readonly schema: z.core.$ZodType | null;
}

/** At most this many characters of a value come back in `input`. */
const INPUT_LIMIT = 256;
/** A URL that names a user, and so perhaps a password, is not repeated whatever member it stands in. */
const USER_IN_URL = /:\/\/[^/?#]*@/;
/** A body with a fault in every row names this many of them. */
const ITEM_LIMIT = 100;
/** Issues that are looked at: several may say the same of one place. */
const ISSUE_LIMIT = 1000;

/**
 * @param input what was validated; values are looked up in it.
 * @param schema what it was validated against; without it no `input` is echoed.
 */
export function validationErrors(
  error: z.core.$ZodError,
  input: unknown,
  schema: z.core.$ZodType | null = null,
): ValidationErrorItem[] {
  const scene: Scene = { root: input, schema };
  const items: ValidationErrorItem[] = [];
  const seen = new Set<string>();
  for (const issue of error.issues.slice(0, ISSUE_LIMIT)) {
    for (const item of itemsOf(issue, [], scene)) {
      const key = JSON.stringify([item.loc, item.type, item.msg]);
      if (seen.has(key)) continue;
      seen.add(key);
      items.push(item);
      if (items.length === ITEM_LIMIT) return items;
    }
  }
  return items;
}

/** As `validationErrors`, for a body that was validated by itself. */
export function bodyErrors(
  error: z.core.$ZodError,
  body: unknown,
  schema: z.ZodType | null,
): ValidationErrorItem[] {
  const first = error.issues.slice(0, ISSUE_LIMIT);
  const issues = first.map((issue) => ({ ...issue, path: ["body", ...issue.path] }));
  const input = body === undefined ? {} : { body };
  const around = schema === null ? null : z.object({ body: schema });
  return validationErrors(new z.core.$ZodRealError(issues), input, around);
}

function itemsOf(issue: Issue, prefix: Path, scene: Scene): ValidationErrorItem[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys
        .slice(0, ITEM_LIMIT)
        .map((key) => item([...path, key], strayMember(key, path, scene)));
    case "invalid_key":
      // The key is the value that is at fault; no path leads to it.
      return issue.issues
        .flatMap((inner) => itemsOf(inner, [], { root: path.at(-1), schema: null }))
        .map((found) => item([...path, "[key]", ...found.loc], found));
    case "invalid_element":
      return issue.issues.flatMap((inner) => itemsOf(inner, path, scene));
    case "invalid_union":
      return unionItems(issue, path, scene);
    default:
      return [place(faultOf(issue, path, scene), path, scene)];
  }
}

/** With the names that come nearest of those that the schema has at the place. */
function strayMember(key: string, path: Path, { schema }: Scene): Fault {
  const known = schema === null ? [] : memberNames(schemasAt(schema, path));
  // One of another alternative is no misspelling.
  if (known.length === 0 || known.includes(key)) return EXTRA;
  return { ...EXTRA, msg: `${EXTRA.msg}; ${theClosest(key, known)}` };
}

function unionItems(
  issue: z.core.$ZodIssueInvalidUnion,
  path: Path,
  scene: Scene,
): ValidationErrorItem[] {
  const { present, value } = lookUp(scene.root, path);
  if (issue.discriminator !== undefined) {
    // zod places the issue at the tag, pydantic at the union itself.
    const at = path.slice(0, -1);
    const discriminator = `'${issue.discriminator}'`;
    if (!present) {
      const msg = `Unable to extract tag using discriminator ${discriminator}`;
      return [item(at, { type: "union_tag_not_found", msg, ctx: { discriminator } })];
    }
    const expected = tagsOf(issue)
      .map((option) => `'${String(option)}'`)
      .join(", ");
    const tag = shownName(isScalar(value) ? String(value) : typeof value);
    return [
      item(at, {
        type: "union_tag_invalid",
        msg: `Input tag '${tag}' found using ${discriminator} does not match any of the expected tags: ${expected}`,
        ctx: { discriminator, tag, expected_tags: expected },
      }),
    ];
  }
  if (!present) return [item(path, MISSING)];
  if (issue.errors.length === 0) {
    const msg = "Value error, more than one of the alternatives matches; send exactly one";
    return [place({ type: "value_error", msg }, path, scene)];
  }
  // Only the arms that came nearest are worth reading: those whose faults lie deepest, and of
  // these the ones with the fewest.
  const arms = issue.errors.map((errors) => ({
    errors,
    shallow: errors.filter((one) => isShallow(one)).length,
    ownType: errors.some((one) => one.path.length === 0 && one.code === "invalid_type"),
  }));
  const sameKind = arms.filter((arm) => !arm.ownType);
  const candidates = sameKind.length > 0 ? sameKind : arms;
  const fewest = Math.min(...candidates.map((arm) => arm.shallow));
  return candidates
    .filter((arm) => arm.shallow === fewest)
    .flatMap((arm) => arm.errors.flatMap((inner) => itemsOf(inner, path, scene)));
}

/** The tags that would have matched: there at run time, not in the declared type. */
const tagsOf = (issue: object): readonly unknown[] =>
  "options" in issue && Array.isArray(issue.options) ? issue.options : [];

/** Of a member that the arm has: too few, too many, ill-formed. */
const OF_BOUNDS: ReadonlySet<string> = new Set([
  "too_small",
  "too_big",
  "not_multiple_of",
  "invalid_format",
]);

/** A missing or an unknown member, or a wrong kind: signs that another arm was meant. */
const isShallow = (issue: Issue): boolean =>
  issue.code === "unrecognized_keys" ||
  (issue.path.length <= 1 && !OF_BOUNDS.has(issue.code)) ||
  (issue.code === "invalid_union" && issue.path.length === 0);

const MISSING: Fault = { type: "missing", msg: "Field required" };
const EXTRA: Fault = { type: "extra_forbidden", msg: "Extra inputs are not permitted" };

function faultOf(issue: Issue, path: Path, scene: Scene): Fault {
  const { present, value } = lookUp(scene.root, path);
  if (!present && path.length > 0 && issue.code !== "custom") return MISSING;
  switch (issue.code) {
    case "invalid_type":
      return typeFault(issue, value, path, scene);
    case "invalid_value": {
      const expected = orList(issue.values.map((one) => literal(one)));
      return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } };
    }
    case "too_small":
    case "too_big":
      return boundFault(issue, value);
    case "not_multiple_of":
      return {
        type: "multiple_of",
        msg: `Input should be a multiple of ${issue.divisor}`,
        ctx: { multiple_of: issue.divisor },
      };
    case "invalid_format":
      return formatFault(issue);
    case "custom": {
      const params = issue.params ?? {};
      const type = typeof params["type"] === "string" ? params["type"] : "value_error";
      const ctx = params["ctx"];
      return {
        type,
        msg: type === "value_error" ? `Value error, ${issue.message}` : issue.message,
        ...(isRecord(ctx) ? { ctx } : {}),
      };
    }
    default:
      return { type: "value_error", msg: `Value error, ${issue.message}` };
  }
}

const TYPE_FAULTS: Readonly<Record<string, Fault>> = {
  string: { type: "string_type", msg: "Input should be a valid string" },
  boolean: { type: "bool_type", msg: "Input should be a valid boolean" },
  array: { type: "list_type", msg: "Input should be a valid list" },
  tuple: { type: "tuple_type", msg: "Input should be a valid tuple" },
  record: { type: "dict_type", msg: "Input should be a valid dictionary" },
  map: { type: "dict_type", msg: "Input should be a valid dictionary" },
  null: { type: "none_required", msg: "Input should be None" },
  date: { type: "datetime_type", msg: "Input should be a valid datetime" },
  never: EXTRA,
  undefined: EXTRA,
};

function typeFault(
  issue: z.core.$ZodIssueInvalidType,
  value: unknown,
  path: Path,
  scene: Scene,
): Fault {
  const parameter = path[0] !== "body";
  const expected: string = issue.expected;
  if (expected === "number" || expected === "int" || expected === "bigint") {
    const whole =
      expected !== "number" ||
      (scene.schema !== null &&
        schemasAt(scene.schema, path).some((one) => alternatives(one).some(isInteger)));
    if (typeof value === "number" && !Number.isFinite(value)) {
      return { type: "finite_number", msg: "Input should be a finite number" };
    }
    if (typeof value === "number") {
      return {
        type: "int_from_float",
        msg: "Input should be a valid integer, got a number with a fractional part",
      };
    }
    if (parameter && typeof value === "string") {
      const kind = whole ? "integer" : "number";
      return {
        type: whole ? "int_parsing" : "float_parsing",
        msg: `Input should be a valid ${kind}, unable to parse string as ${whole ? "an integer" : "a number"}`,
      };
    }
    return whole
      ? { type: "int_type", msg: "Input should be a valid integer" }
      : { type: "float_type", msg: "Input should be a valid number" };
  }
  if (parameter && expected === "boolean" && typeof value === "string") {
    return {
      type: "bool_parsing",
      msg: "Input should be a valid boolean, unable to interpret input",
    };
  }
  if (expected === "object") return objectFault(value, path, scene);
  return TYPE_FAULTS[expected] ?? { type: "value_error", msg: `Value error, ${issue.message}` };
}

/** Members that an example of an object names. */
const EXAMPLE_MEMBERS = 4;

/** With what the object holds, and what was sent in its stead. */
function objectFault(value: unknown, path: Path, { schema }: Scene): Fault {
  const at = schema === null ? [] : schemasAt(schema, path);
  const [required, known] = [requiredNames(at), memberNames(at)];
  const shown = (required.length > 0 ? required : known).slice(0, EXAMPLE_MEMBERS);
  const members = shown.map((name) => `"${name}": …`);
  if (known.length > shown.length) members.push("…");
  const object = members.length === 0 ? "" : `, such as {${members.join(", ")}}`;
  const sent = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  return {
    type: "model_attributes_type",
    msg: `Input should be a valid dictionary or object to extract fields from${object}, not ${sent}`,
  };
}

function boundFault(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  value: unknown,
): Fault {
  const small = issue.code === "too_small";
  const bound = Number(small ? issue.minimum : issue.maximum);
  if (issue.origin === "string") {
    const characters = `${bound} character${bound === 1 ? "" : "s"}`;
    return small
      ? {
          type: "string_too_short",
          msg: `String should have at least ${characters}`,
          ctx: { min_length: bound },
        }
      : {
          type: "string_too_long",
          msg: `String should have at most ${characters}`,
          ctx: { max_length: bound },
        };
  }
  if (issue.origin === "array" || issue.origin === "set" || issue.origin === "map") {
    const actual = Array.isArray(value) ? value.length : 0;
    const items = `${bound} item${bound === 1 ? "" : "s"}`;
    const ctx = { field_type: "List", [small ? "min_length" : "max_length"]: bound };
    return {
      type: small ? "too_short" : "too_long",
      msg: `List should have at ${small ? "least" : "most"} ${items} after validation, not ${actual}`,
      ctx: { ...ctx, actual_length: actual },
    };
  }
  const inclusive = issue.inclusive === true;
  const name = small
    ? inclusive
      ? (["greater_than_equal", "ge", "greater than or equal to"] as const)
      : (["greater_than", "gt", "greater than"] as const)
    : inclusive
      ? (["less_than_equal", "le", "less than or equal to"] as const)
      : (["less_than", "lt", "less than"] as const);
  return {
    type: name[0],
    msg: `Input should be ${name[2]} ${bound}`,
    ctx: { [name[1]]: bound },
  };
}

const FORMAT_FAULTS: Readonly<Record<string, Fault>> = {
  uuid: { type: "uuid_parsing", msg: "Input should be a valid UUID" },
  guid: { type: "uuid_parsing", msg: "Input should be a valid UUID" },
  url: { type: "url_parsing", msg: "Input should be a valid URL" },
  datetime: { type: "datetime_parsing", msg: "Input should be a valid datetime" },
  date: { type: "date_parsing", msg: "Input should be a valid date in the format YYYY-MM-DD" },
  time: { type: "time_parsing", msg: "Input should be in a valid time format" },
  base64: { type: "base64_decode", msg: "Base64 decoding error: the input is not valid base64" },
};

function formatFault(issue: z.core.$ZodIssueInvalidStringFormat): Fault {
  if (issue.format === "regex") {
    const pattern = String(issue.pattern).replace(/^\/(.*)\/[a-z]*$/s, "$1");
    return {
      type: "string_pattern_mismatch",
      msg: `String should match pattern '${pattern}'`,
      ctx: { pattern },
    };
  }
  return (
    FORMAT_FAULTS[issue.format] ?? { type: "value_error", msg: `Value error, ${issue.message}` }
  );
}

const item = (path: Path, fault: Fault): ValidationErrorItem => ({
  // A name may be as long as the body, and stand in the place of each fault within.
  loc: path.map((key) => (typeof key === "number" ? key : shownName(String(key)))),
  msg: fault.msg,
  type: fault.type,
  ...(fault.ctx === undefined ? {} : { ctx: fault.ctx }),
});

/** With `input`, where it may be shown: scalars only, nothing secret, nothing from a header. */
function place(fault: Fault, path: Path, scene: Scene): ValidationErrorItem {
  const placed = item(path, fault);
  if (scene.schema === null || path[0] === "header") return placed;
  const { present, value, written } = lookUp(scene.root, path);
  if (!present || fault.type === "missing" || isSecretAt(scene.schema, path)) return placed;
  if (written !== undefined) {
    return written.length > INPUT_LIMIT ? placed : { ...placed, input: JSON.rawJSON(written) };
  }
  if (!isScalar(value)) return placed;
  if (typeof value === "string" && (value.length > INPUT_LIMIT || USER_IN_URL.test(value))) {
    return placed;
  }
  if (typeof value === "number" && !Number.isFinite(value)) return placed;
  return { ...placed, input: value };
}

interface Found {
  readonly present: boolean;
  readonly value: unknown;
  /** Of a number that a double cannot hold: its text in the body. */
  readonly written?: string | undefined;
}

function lookUp(root: unknown, path: Path): Found {
  let value = root;
  let written: string | undefined;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) {
      return { present: false, value: undefined };
    }
    written = writtenNumber(value, key);
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return { present: value !== undefined, value, written };
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const literal = (value: unknown): string =>
  typeof value === "string" ? `'${value}'` : String(value);

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
