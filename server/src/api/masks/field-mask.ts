/**
 * Field masks: which members of a resource a PATCH writes. The form is google.protobuf.FieldMask's
 * and its JSON mapping's: paths joined by commas, members by dots, names in lowerCamelCase or
 * snake_case. What the paths may name is declared once a resource, as a tree of `MaskField`s.
 *
 *   parseFieldMask(text, fields) ─► FieldMask ─► mergeFields(fields, mask, stored, sent)
 *
 * A member that the mask names and the request lacks is cleared; one that it does not name stays as
 * it is stored. The merge does not validate: what is no object where an object belongs is put into
 * the result as it came, for the validation that follows to refuse at its place.
 */

export type MaskField =
  /** Set as a whole: scalars and lists. */
  | { readonly kind: "value" }
  /** Text keys of the caller's own: set as a whole or key by key; the key is the path's whole rest. */
  | { readonly kind: "map" }
  /** Set by the service, or part of the name: a mask may name it, to no effect. */
  | { readonly kind: "output-only" }
  | MaskMessage;

export interface MaskMessage {
  readonly kind: "message";
  readonly fields: Readonly<Record<string, MaskField>>;
  /** At most one of the fields is set: setting one clears the others. */
  readonly oneOf?: boolean;
}

/** The members that are written, as a tree; a leaf is written as a whole. */
export interface FieldMask {
  readonly whole: boolean;
  readonly members: ReadonlyMap<string, FieldMask>;
}

type Members = Readonly<Record<string, unknown>>;

/** A path that names nothing a mask can name; one sentence for the caller. */
export class FieldMaskError extends Error {
  override readonly name = "FieldMaskError";
}

interface MutableMask extends FieldMask {
  whole: boolean;
  readonly members: Map<string, MutableMask>;
}

const emptyMask = (whole = false): MutableMask => ({ whole, members: new Map() });

/**
 * @param text null or empty where the request has no mask
 * @returns null where there is none: the caller takes `presentFields`
 * @throws FieldMaskError
 */
export function parseFieldMask(text: string | null, root: MaskMessage): FieldMask | null {
  if (text === null || text === "") return null;
  if (text === "*") return replacement(root);
  const mask = emptyMask();
  for (const path of text.split(",")) {
    if (path === "*") throw new FieldMaskError("'*' stands for everything and must stand alone");
    addPath(mask, root, path);
  }
  return mask;
}

/** Writes the members that the request has, each as a whole. */
export function presentFields(root: MaskMessage, sent: Members): FieldMask {
  const mask = emptyMask();
  for (const name of writable(root)) {
    if (Object.hasOwn(sent, name)) mask.members.set(name, emptyMask(true));
  }
  return mask;
}

/** The members of the resource that a request can write. */
export const writable = (root: MaskMessage): string[] =>
  Object.keys(root.fields).filter((name) => root.fields[name]!.kind !== "output-only");

function replacement(root: MaskMessage): FieldMask {
  const mask = emptyMask();
  for (const name of writable(root)) mask.members.set(name, emptyMask(true));
  return mask;
}

function addPath(mask: MutableMask, root: MaskMessage, path: string): void {
  let field: MaskField = root;
  let at = mask;
  const walked: string[] = [];
  let rest: string | null = path;
  while (rest !== null) {
    if (field.kind === "map") {
      if (rest === "")
        throw new FieldMaskError(`'${path}' ends without the key of ${quote(walked)}`);
      at = memberOf(at, rest);
      break;
    }
    if (field.kind !== "message") {
      throw new FieldMaskError(
        `'${path}' descends into ${quote(walked)}, which is written as a whole`,
      );
    }
    const dot: number = rest.indexOf(".");
    const segment: string = dot < 0 ? rest : rest.slice(0, dot);
    rest = dot < 0 ? null : rest.slice(dot + 1);
    const name = nameOf(field, segment);
    if (name === null) {
      const owner = walked.length === 0 ? "the resource" : quote(walked);
      const known = Object.keys(field.fields).join(", ");
      throw new FieldMaskError(`'${path}' names no member: ${owner} has ${known}`);
    }
    field = field.fields[name]!;
    if (field.kind === "output-only" && rest === null) return;
    walked.push(name);
    at = memberOf(at, name);
  }
  at.whole = true;
}

const quote = (walked: readonly string[]): string => `'${walked.join(".")}'`;

function memberOf(mask: MutableMask, name: string): MutableMask {
  let member = mask.members.get(name);
  if (member === undefined) {
    member = emptyMask();
    mask.members.set(name, member);
  }
  return member;
}

function nameOf(message: MaskMessage, segment: string): string | null {
  return (
    Object.keys(message.fields).find((name) => segment === name || segment === snakeCase(name)) ??
    null
  );
}

/** `tablePaths` → `table_paths` */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * What is stored with the masked members of the request in place of its own.
 *
 * @param stored the writable members as they are; not changed
 * @param sent the request's; members outside the mask are not read
 */
export function mergeFields(
  root: MaskMessage,
  mask: FieldMask,
  stored: Members,
  sent: Members,
): Record<string, unknown> {
  return mergeMessage(root, mask, stored, sent) ?? {};
}

function mergeMessage(
  message: MaskMessage,
  mask: FieldMask,
  stored: Members | null,
  sent: Members | null,
): Record<string, unknown> | null {
  const result = new Map(Object.entries(stored ?? {}));
  const written = new Set<string>();
  for (const [name, member] of mask.members) {
    const asked = ownMember(sent, name);
    const value = mergeField(message.fields[name]!, member, result.get(name), asked);
    if (value === undefined) result.delete(name);
    else result.set(name, value);
    if (asked != null && value != null) written.add(name);
  }
  if (message.oneOf === true && written.size > 0) {
    for (const name of Object.keys(message.fields)) if (!written.has(name)) result.delete(name);
  }
  // Clearing members of a message that is not there does not make one.
  if (stored === null && [...result.values()].every((value) => value == null)) return null;
  return Object.fromEntries(result);
}

function mergeField(field: MaskField, mask: FieldMask, stored: unknown, sent: unknown): unknown {
  if (mask.whole) return sent;
  if (sent != null && !isMembers(sent)) return sent;
  const was = isMembers(stored) ? stored : null;
  const asked = isMembers(sent) ? sent : null;
  if (field.kind === "message") return mergeMessage(field, mask, was, asked) ?? stored;
  const result = new Map(Object.entries(was ?? {}));
  for (const key of mask.members.keys()) {
    const value = ownMember(asked, key);
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return was === null && result.size === 0 ? stored : Object.fromEntries(result);
}

const ownMember = (members: Members | null, name: string): unknown =>
  members !== null && Object.hasOwn(members, name) ? members[name] : undefined;

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
