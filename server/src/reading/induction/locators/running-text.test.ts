import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { runningText } from "./running-text.ts";

test("sentences run on, to the last words of a paragraph; labels, titles and columns do not", () => {
  const lines = [
    "Notice No. 12 of May 2023",
    "",
    "Name: Anna Vogel",
    "Seat  27E  Gate  C25",
    "",
    "We are pleased to offer you a place in the course that begins on",
    "4 June 2023.",
    "",
    "Start date is 3 May 2020.",
  ];
  const content = documentText(parseText("a.txt", lines.join("\n")));
  const isRunning = runningText(content);
  const running = content.lines.filter(({ start }) => isRunning(start)).map(({ text }) => text);
  expect(running).toEqual([lines[5], lines[6], lines[8]]);
});
