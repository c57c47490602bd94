import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "./make-folder.ts";

describe("makeFolder", () => {
  let root = "";
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "folders-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("makes those above, also where several make them at once, and leaves what is there", async () => {
    const path = join(root, "a", "b", "c");
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
    await makeFolder(path);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it("makes all of them with the mode", async () => {
    await makeFolder(join(root, "a", "b"), 0o700);
    for (const made of ["a", "a/b"]) {
      expect((await stat(join(root, made))).mode & 0o777).toBe(0o700);
    }
  });

  it("fails below a file, and in its place", async () => {
    const file = join(root, "file");
    await writeFile(file, "");
    await expect(makeFolder(join(file, "a", "b"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
  });

  it.runIf(existsSync("/proc/self"))("fails where no folder can be made, and ends", async () => {
    await expect(makeFolder("/proc/no-run")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(makeFolder("/proc/no/run/here")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
