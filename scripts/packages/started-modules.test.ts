import { parseSync } from "rolldown/utils";
import { expect, it } from "vitest";
import { edited, startedName, startsIn } from "./started-modules.ts";

it("finds what a module starts by either name, and nothing else", () => {
  const code = [
    'const thread = new URL("./serving-thread.ts", import.meta.url);',
    "const tasks = ownModule(",
    '  "tasks",',
    "  import.meta.url,",
    ");",
    'const data = new URL("./words.json", import.meta.url);',
    'const other = new Set("./serving-thread.ts");',
  ].join("\n");
  const id = "/house/server/src/room/pool.ts";
  const starts = startsIn(parseSync(id, code).program, id);
  expect(starts.map(({ file }) => file)).toEqual([
    "/house/server/src/room/serving-thread.ts",
    "/house/server/src/room/tasks.ts",
  ]);
  const lines = edited(
    code,
    starts.map(({ start, end }, at) => ({ start, end, text: `built(${at})` })),
  ).split("\n");
  expect(lines.slice(0, 2)).toEqual(["const thread = built(0);", "const tasks = built(1)"]);
  // Every other line is where it was.
  expect(lines.slice(5)).toEqual(code.split("\n").slice(5));
});

it("names the files of a bundle by where they come from", () => {
  const root = new URL("../../", import.meta.url).pathname;
  expect(startedName(`${root}engine/src/worker/tasks.ts`)).toBe("tasks.js");
  expect(startedName(`${root}server/src/query/sql/session/child/main.ts`)).toBe(
    "query-sql-session-child-main.js",
  );
});
