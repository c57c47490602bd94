/**
 * One process a device: two would share its memory without knowing of each other. A file of the machine's
 * temporary folder names the process that holds it.
 */

import { createHash, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { NoDeviceError } from "./adapters.ts";

/** Where processes of this user meet, and keep what they measured of devices. */
export function devicesFolder(): string {
  const folder = join(tmpdir(), `distillery-devices-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export interface DeviceLock {
  release(): void;
}

/**
 * Takes the device for this process.
 *
 * @param name of the adapter
 * @throws NoDeviceError where another process holds it
 */
export function lockDevice(name: string, folder = devicesFolder()): DeviceLock {
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  const file = join(folder, `${digest}.lock`);
  // Linked when it is written: nobody ever reads half of it.
  const own = `${file}.${process.pid}.${randomUUID()}`;
  writeFileSync(own, `${process.pid}\n`);
  try {
    return takeLock(name, file, own);
  } finally {
    rmSync(own, { force: true });
  }
}

function takeLock(name: string, file: string, own: string): DeviceLock {
  // A process that was killed left its file behind.
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      linkSync(own, file);
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = holderOf(file);
      if (holder !== null && isAlive(holder)) {
        throw new NoDeviceError(
          holder === process.pid
            ? `The GPU adapter ${name} is held by this process already.`
            : `The GPU adapter ${name} is held by another process (${holder}).`,
        );
      }
      rmSync(file, { force: true });
    }
  }
  throw new NoDeviceError(`The GPU adapter ${name} is held by another process.`);
}

function holderOf(file: string): number | null {
  try {
    const holder = Number.parseInt(readFileSync(file, "utf8"), 10);
    return Number.isSafeInteger(holder) ? holder : null;
  } catch {
    // Released in between.
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
