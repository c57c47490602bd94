/** Reading what a parser's process wrote: the same in this process and in one of its own. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { documentText } from "../../reading/parsing/document-text.ts";
import type { ParsedDocument } from "../../reading/parsing/normal-form.ts";
import { ParserFailure } from "../../reading/parsing/parser-process.ts";
import { readableText, readParsedForm, writeReadableText } from "./parsed-form.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-parsed-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Pages of so many lines each. */
function documentOf(pages: readonly number[]): ParsedDocument {
  const line = (page: number, at: number) => ({
    spans: [
      { text: `Line ${at}`, box: null },
      { text: `of page ${page}`, box: null },
    ],
  });
  return {
    version: 1,
    mediaType: "text/plain",
    title: null,
    warnings: ["a warning"],
    pages: pages.map((lines, index) => ({
      number: index + 1,
      width: 595,
      height: 842,
      blocks: [
        { kind: "paragraph", lines: Array.from({ length: lines }, (_, at) => line(index + 1, at)) },
      ],
    })),
  };
}

it("says where each page stands, those without text as well", () => {
  const document = documentOf([0, 2, 0, 1]);
  const { text, pages } = readableText(document);
  expect(text).toBe(documentText(document).text);
  expect(pages.map(({ number, start, end }) => [number, text.slice(start, end)])).toEqual([
    [1, ""],
    [2, "Line 0  of page 2\nLine 1  of page 2"],
    [3, ""],
    [4, "Line 0  of page 4"],
  ]);
  expect(pages.map(({ width, height }) => [width, height])).toEqual(
    document.pages.map(({ width, height }) => [width, height]),
  );
});

it("reads a large document in a process as a small one here", async () => {
  const json = Buffer.from(JSON.stringify(documentOf([9000, 9000])));
  expect(json.length).toBeGreaterThan(1 << 20);
  const [there, here] = [join(folder, "there.json"), join(folder, "here.json")];
  const facts = await readParsedForm(json, there);
  expect(facts).toEqual({ mediaType: "text/plain", pages: 2, warnings: ["a warning"] });
  expect(await writeReadableText(json, here)).toEqual(facts);
  expect(await readFile(there, "utf8")).toBe(await readFile(here, "utf8"));
});

it.each([1, 1 << 20])("takes nothing that is no document, of %i bytes", async (bytes) => {
  const path = join(folder, "none.json");
  for (const json of ['{"pages":[]}', "not JSON"]) {
    const padded = Buffer.from(json.padEnd(bytes));
    await expect(readParsedForm(padded, path)).rejects.toThrow(ParserFailure);
  }
});
