import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installedLanguages } from "./languages.ts";

const missing = () => Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" });

test("are English and those whose data is installed", () => {
  const found = installedLanguages((file) => {
    if (!/\/(?:eng|nld|deu)\//.test(file)) throw missing();
    return `file:///data/${file}`;
  });
  expect(found.map(({ name }) => name)).toEqual(["English", "German", "Dutch"]);
  expect(found[1]!.folder).toBe("/data/@tesseract.js-data/deu/4.0.0_best_int");
});

test("of this service have their data where it is said to be", () => {
  const languages = installedLanguages();
  expect(languages[0]!.code).toBe("eng");
  for (const { code, folder } of languages) {
    expect(existsSync(join(folder, `${code}.traineddata.gz`)), code).toBe(true);
  }
});

test("are not guessed at where looking for them fails", () => {
  const failing = () =>
    installedLanguages(() => {
      throw new Error("no disk");
    });
  expect(failing).toThrow("no disk");
});
