/** Tags as lines of text, such as `team: pricing`. */

type Tags = Readonly<Record<string, string>>;

export function tagLines(tags: Tags): string {
  return Object.entries(tags)
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n");
}

/** What a patch must say so that the tags are those of the lines: those that are gone are null. */
export function changedTags(before: Tags, lines: string): Record<string, string | null> {
  const after = new Map(
    lines
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line): [string, string] => {
        const at = line.indexOf(":");
        return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
  return {
    ...Object.fromEntries(
      Object.keys(before)
        .filter((key) => !after.has(key))
        .map((key) => [key, null]),
    ),
    ...Object.fromEntries([...after].filter(([key, value]) => before[key] !== value)),
  };
}
