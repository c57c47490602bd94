import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { locatorSchema } from "./locator.ts";
import { locatePresence } from "./presence.ts";

const locator = locatorSchema.parse({
  kind: "presence",
  patterns: ["may not ...4 assign", "no assignment"],
  except: ["unless ...10 consents"],
});

function ask(text: string) {
  if (locator.kind !== "presence") throw new Error("no presence");
  const content = documentText(parseText("a.txt", text));
  const [finding, ...more] = locatePresence(content, locator, NEUTRAL_CONVENTIONS);
  expect(more).toEqual([]);
  expect(content.text.slice(finding!.start, finding!.end)).toBe(finding!.text);
  return finding!;
}

test("is true, with the words that say so, where a sentence matches", () => {
  const { normal, text } = ask("All is well. A party may not freely assign it.");
  expect([normal, text]).toEqual([true, "may not freely assign"]);
});

test("is false, at no place, where none does", () => {
  expect(ask("All is well.")).toMatchObject({ normal: false, text: "", start: 0, end: 0 });
});

test("is false where each sentence that matches is an exception", () => {
  expect(ask("A party may not assign it unless the other consents.").normal).toBe(false);
  expect(
    ask("A party may not assign it unless the other consents. No assignment is valid.").normal,
  ).toBe(true);
});

test("is true once for each sentence that says it, three times at most", () => {
  if (locator.kind !== "presence") throw new Error("no presence");
  const said = (times: number): number => {
    const text = "A party may not assign it. The weather was fine. ".repeat(times);
    const content = documentText(parseText("a.txt", text));
    return locatePresence(content, locator, NEUTRAL_CONVENTIONS).length;
  };
  expect([1, 2, 3, 5].map(said)).toEqual([1, 2, 3, 3]);
});
