import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { loadModel, ModelFormatError } from "./node.ts";

const folder = mkdtempSync(join(tmpdir(), "predict-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("says of a file: URL that leads to no archive what is there", async () => {
  writeFileSync(join(folder, "notes.txt"), "x");
  const address = pathToFileURL(folder).href;
  for (const [path, message] of [
    ["", `${address} is a folder: of a model's folder, the URL ends with a slash, ${address}/.`],
    ["/none.zip", `${address}/none.zip is not there.`],
    ["/notes.txt/model.zip", /notes.txt\/model.zip cannot be there, because a part of its path is/],
    ["/notes.txt", "This is no model archive: it is not a zip."],
  ] as const) {
    const error = await loadModel(new URL(`${address}${path}`)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ModelFormatError);
    expect(error).toMatchObject({
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  }
});
