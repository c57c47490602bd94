/**
 * A GPU adapter for machines without a GPU: SwiftShader, out of the package `@sparticuz/chromium`, or out of
 * an installed Chromium. The Vulkan loader that comes with it is loaded here, so that Dawn finds it by its
 * name, whatever the system's paths are.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { threadId } from "node:worker_threads";
import { brotliDecompressSync } from "node:zlib";

const LOADER = "libvulkan.so.1";
const DRIVER = "libvk_swiftshader.so";
const ICD = "vk_swiftshader_icd.json";
const INSTALLED = ["/usr/lib/chromium", "/usr/lib/chromium-browser"];
/** Kept loaded though it is no module of Node's. */
const RTLD_NODELETE = 0x1000;

/** What the Vulkan loader goes by. */
export const VARIABLES = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"];

let ready: string | null | undefined;
/** Where the driver is described; empty where there is none. */
let icd = "";

/**
 * Makes SwiftShader the only adapter of this process. Before any device is opened.
 *
 * @returns null, or why there is none here
 */
export function useSwiftShader(): string | null {
  if (ready === undefined) ready = prepare();
  if (icd !== "") for (const name of VARIABLES) process.env[name] = icd;
  return ready;
}

function prepare(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return "SwiftShader is at hand for Linux on x64 alone";
  }
  const folder = unpacked() ?? INSTALLED.find((each) => existsSync(join(each, DRIVER)));
  if (folder === undefined) {
    return "neither @sparticuz/chromium nor an installed Chromium has SwiftShader";
  }
  icd = join(folder, ICD);
  for (const name of VARIABLES) process.env[name] = icd;
  try {
    process.dlopen(
      { exports: {} },
      join(folder, LOADER),
      constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL | RTLD_NODELETE,
    );
  } catch (error) {
    // No module of Node's registers itself with it; any other failure is one.
    if (!String(error).includes("did not self-register")) return `${LOADER}: ${error}`;
  }
  return null;
}

/** The package's archive, unpacked once into a folder that later processes find. */
function unpacked(): string | undefined {
  let archive: string;
  try {
    const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
    const bin = main.slice(0, main.lastIndexOf("chromium/build/") + "chromium/".length);
    archive = join(bin, "bin/swiftshader.tar.br");
  } catch {
    return undefined;
  }
  const folder = join(tmpdir(), `distillery-swiftshader-${userInfo().uid}`);
  if (existsSync(join(folder, DRIVER))) return folder;
  const apart = `${folder}.${process.pid}.${threadId}`;
  mkdirSync(apart, { recursive: true, mode: 0o700 });
  for (const { name, bytes } of filesOfTar(brotliDecompressSync(readFileSync(archive)))) {
    if ([LOADER, DRIVER, ICD].includes(name))
      writeFileSync(join(apart, name), bytes, { mode: 0o755 });
  }
  try {
    renameSync(apart, folder);
  } catch {
    // Another process was first.
    rmSync(apart, { recursive: true, force: true });
  }
  return folder;
}

/** Plain files of a POSIX tar archive. */
function* filesOfTar(tar: Uint8Array): Generator<{ name: string; bytes: Uint8Array }> {
  const text = (from: number, length: number): string =>
    Buffer.from(tar.subarray(from, from + length))
      .toString("latin1")
      .split("\0", 1)[0]!;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0;
    const kind = text(at + 156, 1);
    const name = text(at, 100);
    if (kind === "0" || kind === "") {
      yield {
        name: name.slice(name.lastIndexOf("/") + 1),
        bytes: tar.subarray(at + 512, at + 512 + size),
      };
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
