/** What differs between two values of JSON, by the names of their members in requests. */

export interface Difference {
  /** As requests write it, such as `task.label_column`. */
  readonly name: string;
  readonly one: string;
  readonly other: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function differencesOf(one: unknown, other: unknown, name = ""): Difference[] {
  if (isObject(one) && isObject(other)) {
    const members = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return members.flatMap((member) =>
      differencesOf(
        one[member],
        other[member],
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
