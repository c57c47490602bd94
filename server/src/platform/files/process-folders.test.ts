import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, expect, it } from "vitest";
import { openProcessFolders } from "./process-folders.ts";

const root = await mkdtemp(join(tmpdir(), "process-folders-"));
afterAll(() => rm(root, { recursive: true, force: true }));

it("removes what ended processes left, one of this process's number included, and nothing of those that live", async () => {
  // Beyond the largest number that Linux gives.
  for (const name of ["4194305", "notes", String(process.pid), String(process.ppid)]) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, "left.parquet"), "x");
  }
  expect(await openProcessFolders(root)).toBe(join(root, String(process.pid)));
  expect(await readdir(root)).toEqual([String(process.ppid)]);
});
