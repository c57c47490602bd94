import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CATALOG_NAME,
  CONNECTOR_NAME,
  catalogName,
  connectorParts,
  lastSegment,
  optionalName,
  SCHEMA_NAME,
  SEGMENT_ID,
  schemaName,
  TABLE_NAME,
  tableName,
  WORKSPACE_ID,
  WORKSPACE_NAME,
  workspaceName,
} from "./names.ts";

const workspace = fc.stringMatching(/^[a-z0-9](?:[a-z0-9._~-]{0,9}[a-z0-9])?$/);
const segment = fc.stringMatching(/^[a-z][a-z0-9_]{0,62}$/);

describe("names of the catalog", () => {
  it("are those of their own kind alone, and end with the resource's id", () => {
    fc.assert(
      fc.property(workspace, segment, segment, segment, (w, c, s, t) => {
        const names: [string, RegExp, string][] = [
          [workspaceName(w), WORKSPACE_NAME, w],
          [catalogName(w, c), CATALOG_NAME, c],
          [schemaName(w, c, s), SCHEMA_NAME, s],
          [tableName(w, c, s, t), TABLE_NAME, t],
          [`${workspaceName(w)}/connectors/${w}`, CONNECTOR_NAME, w],
        ];
        const patterns = names.map(([, pattern]) => pattern);
        for (const [name, own, id] of names) {
          expect(patterns.filter((pattern) => pattern.test(name))).toEqual([own]);
          expect(lastSegment(name)).toBe(id);
        }
      }),
    );
  });

  it("of connectors tell their workspace", () => {
    fc.assert(
      fc.property(workspace, workspace, (w, connector) => {
        const parts = connectorParts(`workspaces/${w}/connectors/${connector}`);
        expect(parts).toEqual({ workspace: w, connector });
      }),
    );
  });
});

it.each(["", "-a", "a-", ".", "a/b", "A", "é", "a b", "a\n"])("%j is no workspace", (id) => {
  expect(id).not.toMatch(WORKSPACE_ID);
});

it.each(["", "1a", "_a", "a-b", "A", "a.b", "a".repeat(64), "a\n"])("%j is no segment", (id) => {
  expect(id).not.toMatch(SEGMENT_ID);
});

it("a name that is left out is one that the path says; any other must be of its kind", () => {
  const name = optionalName(TABLE_NAME);
  expect(name.parse("")).toBe("");
  expect(name.parse(tableName("w", "c", "s", "t"))).toBe(tableName("w", "c", "s", "t"));
  const { error } = name.safeParse(schemaName("w", "c", "s"));
  expect(error?.issues[0]?.message).toContain(`should match pattern '${TABLE_NAME.source}'`);
});
