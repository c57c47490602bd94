import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inexactVersionFaults } from "./inexact-versions.ts";

it("names dependencies of any kind that are at a range, and no peers", () => {
  const root = mkdtempSync(join(tmpdir(), "inexact-versions-"));
  try {
    const manifest = {
      dependencies: { exact: "1.2.3", early: "1.0.0-beta.7", own: "workspace:*" },
      devDependencies: { caret: "^1.6.0", whole: "2" },
      optionalDependencies: { tag: "latest" },
      peerDependencies: { peer: ">=4" },
    };
    writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(root, "none.json"), "{}");
    expect(inexactVersionFaults(root, ["package.json", "none.json"])).toEqual([
      "package.json has caret at ^1.6.0: name one version of it.",
      "package.json has whole at 2: name one version of it.",
      "package.json has tag at latest: name one version of it.",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
