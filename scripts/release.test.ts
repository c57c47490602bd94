import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { nextVersion, release } from "./release.ts";

const FOLDERS = [
  ".",
  "engine",
  "engine/predict",
  "server",
  "server/client",
  "server/console",
  "bench",
  "reference",
];
let root: string;
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const read = (name: string): string => readFileSync(join(root, name), "utf8");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "distillery-release-"));
  for (const folder of FOLDERS) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "package.json"), '{\n  "version": "1.4.9"\n}\n');
  }
  writeFileSync(
    join(root, "CHANGELOG.md"),
    "# Changelog\n\n## 1.4.9, unreleased\n\n- A thing.\n\n## 1.4.8, 2026-01-02\n\n- Old.\n",
  );
  git("init", "--quiet");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.com");
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
});
afterEach(() => rmSync(root, { recursive: true }));

it("tags what the changelog dates, and opens the next version everywhere", () => {
  expect(release(root, "minor", "2026-03-04")).toEqual({ released: "1.4.9", next: "1.5.0" });
  expect(git("show", "v1.4.9:CHANGELOG.md")).toMatch(/^# Changelog\n\n## 1\.4\.9, 2026-03-04\n/);
  expect(git("show", "v1.4.9:server/package.json")).toContain('"1.4.9"');
  expect(read("CHANGELOG.md")).toMatch(/\n## 1\.5\.0, unreleased\n\n## 1\.4\.9, 2026-03-04\n/);
  for (const folder of FOLDERS) {
    expect(read(join(folder, "package.json"))).toContain('"version": "1.5.0"');
  }
  expect(git("status", "--porcelain")).toBe("");
  // Nothing is written under the new heading yet.
  expect(() => release(root, "patch", "2026-03-05")).toThrow(/names nothing under "## 1\.5\.0/);
});

it("releases neither changes that nobody has committed, nor packages that disagree", () => {
  writeFileSync(join(root, "engine", "package.json"), '{ "version": "1.4.8" }');
  expect(() => release(root, "patch", "2026-03-04")).toThrow(/commit them first:\n.*engine/);
  git("commit", "--quiet", "--all", "--message", "Differ");
  expect(() => release(root, "patch", "2026-03-04")).toThrow(/1\.4\.9, 1\.4\.8/);
  expect(git("tag")).toBe("");
});

it.each([
  ["major", "2.0.0"],
  ["minor", "1.5.0"],
  ["patch", "1.4.10"],
] as const)("counts a %s release", (part, next) => {
  expect(nextVersion("1.4.9", part)).toBe(next);
});

it("refuses options that there are none of in one line, before anything is released", () => {
  const command = fileURLToPath(new URL("./release.ts", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [command, "--nxt", "minor"], {
    encoding: "utf8",
    cwd: root,
  });
  expect([status, stderr]).toEqual([
    2,
    "there is no option --nxt; did you mean --next?; there are --help, --next, --date\n",
  ]);
});
