import { expect, it } from "vitest";
import { changedTags, tagLines } from "./tags.ts";

it("says what changes between tags and the lines that they are written as", () => {
  const tags = { team: "pricing", stage: "a: b", old: "1" };
  expect(changedTags(tags, tagLines(tags))).toEqual({});
  expect(changedTags(tags, "team: sales\n\nstage: a: b\nnew\n")).toEqual({
    old: null,
    team: "sales",
    new: "",
  });
});
