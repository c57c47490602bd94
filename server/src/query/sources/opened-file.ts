/**
 * Opening files below a folder so that nothing leads out of it: not a symbolic link, and not one
 * that is put in place between a check and the opening. What was opened is asked where it lies,
 * and that has to be below the folder.
 */

import type { BigIntStats } from "node:fs";
import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { sep } from "node:path";
import { SourceError, SourceUrlError } from "./source-error.ts";

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
  /** The open file's own path where the system has one that cannot be swapped, else its real path. */
  readonly path: string;
  readonly realPath: string;
}

/** Where a system shows its open files; elsewhere real paths and inodes are compared. */
const DESCRIPTORS = process.platform === "linux" ? "/proc/self/fd" : null;

/** `O_NONBLOCK`: opening a FIFO waits for no writer. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * A regular file or a folder; null where there is none.
 *
 * @param path absolute
 * @param root real path of the folder that it must lie in
 * @param label names it in errors
 * @throws SourceUrlError where it leads out of the folder, or is a device, a FIFO or a socket
 * @throws SourceError where it may not be read
 */
export async function openWithin(
  path: string,
  root: string,
  label: string,
): Promise<OpenedFile | null> {
  // Opening a device can set it off, so it is looked at first; what counts is looked at after.
  const before = await ifThere(stat(path), label);
  if (before === null) return null;
  if (!before.isFile() && !before.isDirectory()) throw special(label);
  const handle = await ifThere(open(path, FLAGS), label);
  if (handle === null) return null;
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() && !stats.isDirectory()) throw special(label);
    const realPath = await realPathOf(handle, stats, path);
    if (realPath === null) {
      await handle.close();
      return null;
    }
    if (!isWithin(realPath, root)) {
      throw new SourceUrlError(
        `${label} leads out of the folder that the connector gives access to.`,
      );
    }
    return {
      handle,
      stats,
      path: DESCRIPTORS === null ? realPath : `${DESCRIPTORS}/${handle.fd}`,
      realPath,
    };
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}

/** Null where the file was removed or replaced meanwhile. */
async function realPathOf(
  handle: FileHandle,
  stats: BigIntStats,
  path: string,
): Promise<string | null> {
  if (DESCRIPTORS !== null) {
    const real = await readlink(`${DESCRIPTORS}/${handle.fd}`);
    return stats.nlink === 0n ? null : real;
  }
  const real = await ifThere(realpath(path), path);
  const there = real === null ? null : await ifThere(stat(real, { bigint: true }), path);
  return there?.ino === stats.ino && there.dev === stats.dev ? real : null;
}

/** @param root a real path */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const special = (label: string): SourceUrlError =>
  new SourceUrlError(`${label} is not a regular file.`);

/** Null for what is not there. @throws SourceUrlError, SourceError in words for the caller */
export async function ifThere<T>(promise: Promise<T>, label: string): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    switch (code) {
      case "ENOENT":
      case "ENOTDIR":
      case "ENAMETOOLONG":
        return null;
      case "ELOOP":
        throw new SourceUrlError(`${label} is a symbolic link that leads in a circle.`);
      case "ENXIO":
        throw special(label);
      case "EACCES":
      case "EPERM":
        throw new SourceError("refused", `${label} may not be read by the service.`, {
          cause: error,
        });
      default:
        throw new SourceError("broken", `${label} cannot be read (${String(code)}).`, {
          cause: error,
        });
    }
  }
}
