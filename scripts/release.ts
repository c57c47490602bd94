/**
 * Cuts a release: dates the changelog's topmost heading, commits and tags that, then opens the next
 * version in every package and in the changelog. Nothing is pushed or published.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { optionsOf } from "./options.ts";

/** Of all packages. */
export const MANIFESTS = [
  "package.json",
  "engine/package.json",
  "engine/predict/package.json",
  "server/package.json",
  "server/client/package.json",
  "server/console/package.json",
  "bench/package.json",
  "reference/package.json",
];
const PARTS = ["major", "minor", "patch"] as const;
type Part = (typeof PARTS)[number];

const HELP = `pnpm release [--next major|minor|patch] [--date YYYY-MM-DD]

Dates the changelog's heading "## X.Y.Z, unreleased", commits, tags vX.Y.Z, and opens the next version
(the next patch, unless --next says otherwise) in a second commit. Push with: git push --follow-tags`;

/** The version after this one. */
export function nextVersion(version: string, part: Part): string {
  const numbers = version.split(".").map(Number);
  const place = PARTS.indexOf(part);
  return numbers.map((number, i) => (i < place ? number : i === place ? number + 1 : 0)).join(".");
}

/**
 * @param changelog whose topmost heading is `## <version>, unreleased` with at least one entry
 * @throws Error that says what stands there instead
 */
export function datedChangelog(changelog: string, version: string, date: string): string {
  const heading = `## ${version}, unreleased`;
  const found = /^## .*$/m.exec(changelog)?.[0];
  if (found !== heading) {
    throw new Error(`The changelog's topmost heading is "${found ?? "none"}", not "${heading}".`);
  }
  const [, entries = ""] = changelog.split(heading);
  if (!/^- /m.test(entries.split(/^## /m)[0])) {
    throw new Error(`The changelog names nothing under "${heading}".`);
  }
  return changelog.replace(heading, `## ${version}, ${date}`);
}

/** With a heading for a version that nothing is known of yet. */
export function openedChangelog(changelog: string, version: string): string {
  return changelog.replace(/^## /m, `## ${version}, unreleased\n\n## `);
}

/** In the repository at `root`, as the head of this file says. @returns the released and the next version */
export function release(
  root: string,
  part: Part,
  date: string,
): { released: string; next: string } {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changes = git("status", "--porcelain");
  if (changes !== "")
    throw new Error(`The working tree has changes; commit them first:\n${changes}`);
  const released = versionOf(root);
  const tag = `v${released}`;
  if (git("tag", "--list", tag) !== "") throw new Error(`The tag ${tag} is there already.`);
  const changelog = join(root, "CHANGELOG.md");
  const dated = datedChangelog(readFileSync(changelog, "utf8"), released, date);
  writeFileSync(changelog, dated);
  git("commit", "--quiet", "--all", "--message", `Release ${released}`);
  git("tag", "--annotate", tag, "--message", `Distillery ${released}`);
  const next = nextVersion(released, part);
  for (const manifest of MANIFESTS) {
    const path = join(root, manifest);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(`"version": "${released}"`, `"version": "${next}"`));
  }
  writeFileSync(changelog, openedChangelog(dated, next));
  git("commit", "--quiet", "--all", "--message", `Open ${next}`);
  return { released, next };
}

/** @throws Error where the packages do not agree */
function versionOf(root: string): string {
  const versions = MANIFESTS.map((manifest): string => {
    const { version } = JSON.parse(readFileSync(join(root, manifest), "utf8"));
    return version;
  });
  if (new Set(versions).size > 1) {
    throw new Error(`The packages are of several versions: ${versions.join(", ")}.`);
  }
  return versions[0];
}

if (import.meta.main) {
  const values = optionsOf({
    help: { type: "boolean" },
    next: { type: "string", default: "patch" },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
  });
  const part = PARTS.find((each) => each === values.next);
  if (values.help) console.log(HELP);
  else if (part === undefined || !/^\d{4}-\d\d-\d\d$/.test(values.date)) {
    console.error(HELP);
    process.exitCode = 1;
  } else {
    try {
      const { released, next } = release(process.cwd(), part, values.date);
      console.log(`Released ${released} as v${released}; ${next} is open. git push --follow-tags`);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}
