import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keptText } from "./kept-file.ts";

describe("a file that is made once", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kept-file-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("is what made it first, in its mode, and leaves nothing beside it", async () => {
    const path = join(folder, "once");
    expect(await keptText(path, 0o600, () => "first")).toBe("first");
    expect(await keptText(path, 0o600, () => "second")).toBe("first");
    expect(await readFile(path, "utf8")).toBe("first");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["once"]);
  });

  test("is one text, whole, for all who make it at one moment", async () => {
    for (let round = 0; round < 20; round++) {
      const path = join(folder, `race-${round}`);
      const own = Array.from({ length: 16 }, (_, maker) => `${maker} `.repeat(20_000));
      const read = await Promise.all(own.map((text) => keptText(path, 0o600, () => text)));
      expect(own).toContain(read[0]);
      expect(new Set(read).size).toBe(1);
    }
  });

  test("fails where its folder is missing", async () => {
    await expect(keptText(join(folder, "none", "file"), 0o600, () => "text")).rejects.toMatchObject(
      {
        code: "ENOENT",
      },
    );
  });
});
