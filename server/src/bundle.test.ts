import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundlesOf, currentBundle, digestOf, noteOf, type ServiceBundle } from "./bundle.ts";

let root = "";
const sources = ["a.ts", "b.ts"];
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "distillery-bundle-"));
  for (const path of sources) write(path, `of ${path}`);
  write("package.js", "");
  mkdirSync(join(bundlesOf(root), "one"), { recursive: true });
  const digest = digestOf(sources, root) ?? "";
  const bundle: ServiceBundle = { digest, folder: "one", sources, packages: ["package.js"] };
  writeFileSync(noteOf(root), JSON.stringify(bundle));
});
afterEach(() => rmSync(root, { recursive: true }));

test("a bundle of these sources is current, wherever they lie", () => {
  expect(currentBundle(root)).toMatchObject({ folder: "one" });
  const moved = join(root, "moved");
  for (const path of [...sources, "package.js", "server"]) {
    cpSync(join(root, path), join(moved, path), { recursive: true });
  }
  expect(currentBundle(moved)).toMatchObject({ folder: "one" });
});

test.each<[string, () => void]>([
  ["a source has changed", () => write("b.ts", "of another")],
  ["the note is damaged", () => writeFileSync(noteOf(root), "{")],
  ["a source is gone", () => rmSync(join(root, "a.ts"))],
  ["a package lies elsewhere", () => rmSync(join(root, "package.js"))],
  ["its folder is gone", () => rmSync(join(bundlesOf(root), "one"), { recursive: true })],
  ["none was made", () => rmSync(noteOf(root))],
])("there is none where %s", (_, change) => {
  change();
  expect(currentBundle(root)).toBeNull();
});
