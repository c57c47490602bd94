import { expect, it } from "vitest";
import { notThatFile, parsed, type Unfinished } from "./unfinished.ts";

const one: Unfinished = {
  ...{ uploadId: "u", organization: "o", fileName: "a.csv", size: 10, head: "00" },
  ...{ name: "a", format: "csv" },
};

it("reads what was kept, and nothing else", () => {
  expect(parsed(null)).toEqual([]);
  expect(parsed("{")).toEqual([]);
  expect(parsed('{"a":1}')).toEqual([]);
  expect(parsed(JSON.stringify([one, { uploadId: 1 }, null]))).toEqual([one]);
});

it("says why a file is another one", () => {
  const same = { name: "a.csv", size: 10, head: "00" };
  expect(notThatFile(one, same)).toBe(null);
  expect(notThatFile(one, { ...same, name: "b.csv" })).toMatch(/named b.csv/);
  expect(notThatFile(one, { ...same, size: 11 })).toMatch(/11 bytes/);
  expect(notThatFile(one, { ...same, head: "01" })).toMatch(/changed/);
});
