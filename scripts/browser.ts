/**
 * A Chromium for tests: that of the machine, or, where there is none, that of the workspace's optional package for
 * Linux on x64, unpacked once below `node_modules/.cache`. `node scripts/browser.ts` makes sure of one and prints its path.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Names that distributions give it, below what `CHROMIUM` says. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const PACKAGE = "@sparticuz/chromium";

const cache = fileURLToPath(new URL("../node_modules/.cache/chromium/", import.meta.url));
const note = join(cache, "path");

/** Null where there is none, and none was unpacked. */
export function findBrowser(): string | null {
  const given = process.env["CHROMIUM"];
  if (given) return given;
  return PLACES.find((path) => existsSync(path)) ?? unpacked();
}

function unpacked(): string | null {
  const path = join(cache, "chromium");
  return existsSync(note) && existsSync(path) ? path : null;
}

/** @throws Error where the workspace was installed without it, as elsewhere than on Linux */
async function unpackBrowser(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  process.env["TMPDIR"] = cache;
  const { default: chromium } = await import(PACKAGE);
  const path: string = await chromium.executablePath();
  writeFileSync(note, path);
  return path;
}

if (import.meta.main) console.log(findBrowser() ?? (await unpackBrowser()));
