/** What differs between two values of JSON, by the names of their members in requests. */

export interface Difference {
  /** As requests write it, such as `task.label_column`. */
  readonly name: string;
  readonly one: string;
  readonly other: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** None of what is not there; null of what has none. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (value === undefined || value === null) return {};
  return isObject(value) ? value : null;
}

export function differencesOf(one: unknown, other: unknown, name = ""): Difference[] {
  const [these, those] = [membersOf(one), membersOf(other)];
  if (these && those && (isObject(one) || isObject(other))) {
    const members = [...new Set([...Object.keys(these), ...Object.keys(those)])];
    return members.flatMap((member) =>
      differencesOf(
        these[member],
        those[member],
        `${name}${name === "" ? "" : "."}${requestName(member)}`,
      ),
    );
  }
  const [first, second] = [written(one), written(other)];
  return first === second ? [] : [{ name, one: first, other: second }];
}

/** A card has its settings by the engine's names, in camel case; who reads it sends snake case. */
const requestName = (member: string): string =>
  member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function written(value: unknown): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return value.length === 0 ? "none" : value.join(", ");
  }
  return JSON.stringify(value);
}
