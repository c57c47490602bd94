import { describe, expect, it } from "vitest";
import { COLUMN_ROLES, clashOfRoles, columnRoles, type NamedColumns } from "./column-roles.ts";

const clashOf = (task: NamedColumns) => {
  const clash = clashOfRoles(columnRoles({ labelColumn: "y", ...task }));
  return clash && [...clash.role.path, clash.message];
};

describe("clashOfRoles", () => {
  it.each(COLUMN_ROLES.filter((member) => member !== "labelColumn"))(
    "lets the label be nothing else, such as %s",
    (member) => {
      const many = member.endsWith("s");
      const clash = clashOf({ [member]: many ? ["x", "y"] : "y" });
      expect(clash?.slice(0, -1)).toEqual(many ? [member, 1] : [member]);
      expect(clash?.at(-1)).toMatch(/^"y" is the label, so it cannot .* as well; name another/);
    },
  );

  it.each<[NamedColumns, (string | number)[]]>([
    [{ weightColumn: "a", groupColumn: "a" }, ["weightColumn"]],
    [{ timeColumn: "a", weightColumn: "a" }, ["weightColumn"]],
    [{ sequenceColumn: "a", orderColumn: "a" }, ["orderColumn"]],
    [{ timeColumn: "a", knownColumns: ["b", "a"] }, ["knownColumns", 1]],
    [{ seriesColumns: ["a"], timeColumn: "a" }, ["seriesColumns", 0]],
    [{ knownColumns: ["a"], ignoreColumns: ["b", "a"] }, ["ignoreColumns", 1]],
    [{ weightColumn: "a", knownColumns: ["a"] }, ["weightColumn"]],
  ])("blames one of two roles that exclude each other: %j", (task, path) => {
    expect(clashOf(task)?.slice(0, -1)).toEqual(path);
  });

  it.each<NamedColumns>([
    {},
    { weightColumn: "a", groupColumn: "b", timeColumn: "c", ignoreColumns: ["d"] },
    { groupColumn: "a", timeColumn: "a" },
    { groupColumn: "a", sequenceColumn: "a" },
    { weightColumn: "a", groupColumn: "b", timeColumn: "c", ignoreColumns: ["a", "b", "c"] },
    { seriesColumns: ["a"], ignoreColumns: ["a"] },
  ])("takes roles that go together: %j", (task) => {
    expect(clashOf(task)).toBeNull();
  });
});
