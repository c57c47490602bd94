import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { largeFileFaults } from "./large-files.ts";

it("names files over 2 MiB that git knows, whatever they are called, and no others", () => {
  const root = mkdtempSync(join(tmpdir(), "large-files-"));
  try {
    expect(largeFileFaults(root)).toEqual([]);
    execFileSync("git", ["init", "-q"], { cwd: root });
    const sizes = { "a größe.bin": 2 * 2 ** 20 + 1, "most.bin": 2 * 2 ** 20, "gone.bin": 1 };
    for (const [name, size] of Object.entries(sizes)) {
      writeFileSync(join(root, name), new Uint8Array(size));
    }
    execFileSync("git", ["add", "."], { cwd: root });
    rmSync(join(root, "gone.bin"));
    writeFileSync(join(root, "unknown.bin"), new Uint8Array(3 * 2 ** 20));
    expect(largeFileFaults(root)).toEqual([
      "a größe.bin has 2.0 MiB: files in git have 2 at most.",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
