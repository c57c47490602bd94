import { expect, it } from "vitest";
import { loadModel } from "./load.ts";
import { modelFolder } from "./model-folder.ts";

it("says where a file was named in place of a folder", async () => {
  await expect(loadModel(modelFolder(import.meta.filename))).rejects.toThrow(
    "The model's file model.json cannot be read (ENOTDIR); what was named is a file, and no model's folder.",
  );
});
