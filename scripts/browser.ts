/**
 * A Chromium for tests: that of the machine, or, where there is none, one that npm has for Linux on x64,
 * unpacked once below `node_modules/.cache`. `node scripts/browser.ts` makes sure of one and prints its path.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Names that distributions give it, below what `CHROMIUM` says. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/** It weighs 70 MB, which is why it is no dependency of the workspace. */
const PACKAGE = "@sparticuz/chromium";
const VERSION = "147.0.0";

const cache = fileURLToPath(new URL("../node_modules/.cache/chromium/", import.meta.url));
const note = join(cache, "path");

/** Null where there is none, and none was fetched. */
export function findBrowser(): string | null {
  const given = process.env["CHROMIUM"];
  if (given) return given;
  return PLACES.find((path) => existsSync(path)) ?? fetched();
}

function fetched(): string | null {
  const path = join(cache, "chromium");
  return existsSync(note) && existsSync(path) ? path : null;
}

/** @throws Error where it cannot be installed */
async function fetchBrowser(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const install = ["install", "--silent", "--no-save", "--no-audit", "--no-fund"];
  writeFileSync(join(cache, "package.json"), '{"private":true}');
  execFileSync("npm", [...install, `${PACKAGE}@${VERSION}`], { cwd: cache, stdio: "inherit" });
  const resolved = createRequire(join(cache, "package.json")).resolve(PACKAGE);
  process.env["TMPDIR"] = cache;
  const { default: chromium } = await import(pathToFileURL(resolved).href);
  const path: string = await chromium.executablePath();
  writeFileSync(note, path);
  return path;
}

if (import.meta.main) console.log(findBrowser() ?? (await fetchBrowser()));
