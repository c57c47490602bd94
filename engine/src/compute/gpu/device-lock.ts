/**
 * One process a device: two would share its memory without knowing of each other. A file of the machine's
 * temporary folder names the process that holds it.
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { NoDeviceError } from "./adapters.ts";

/** Where processes of this user meet, and keep what they measured of devices. */
export function devicesFolder(): string {
  // Not the user's name: in containers a number may have none.
  const folder = join(tmpdir(), `distillery-devices-${process.getuid?.() ?? "all"}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export interface DeviceLock {
  release(): void;
}

/** A process has the device: it may be had once that one is over. */
export class DeviceHeldError extends NoDeviceError {
  /** Of the adapter. */
  readonly adapter: string;

  constructor(message: string, adapter: string) {
    super(message);
    this.adapter = adapter;
  }
}

/**
 * Takes the device for this process. Of several that come at the same moment none may get it, but never two:
 * each leaves its file before it looks for others', and nobody removes a file whose process may live.
 *
 * @param name of the adapter
 * @throws DeviceHeldError where a process holds it, be it this one
 */
export function lockDevice(name: string, folder: string): DeviceLock {
  const own = `${digestOf(name)}.${process.pid}.${beginOf(process.pid) ?? ""}.${randomUUID()}.lock`;
  writeFileSync(join(folder, own), "", { flag: "wx" });
  const release = (): void => rmSync(join(folder, own), { force: true });
  const holder = holderOf(name, folder, own);
  if (holder !== null) {
    release();
    throw new DeviceHeldError(
      holder === process.pid
        ? `The GPU adapter ${name} is held by this process already.`
        : `The GPU adapter ${name} is held by another process (${holder}).`,
      name,
    );
  }
  return { release };
}

/**
 * The process that holds a device, be it this one; null where none does. What killed ones left behind is removed.
 *
 * @param but a file that does not count
 */
export function holderOf(name: string, folder: string, but?: string): number | null {
  for (const file of readdirSync(folder)) {
    const [of, pid, begin] = file.split(".");
    if (of !== digestOf(name) || !file.endsWith(".lock") || file === but) continue;
    const holder = Number(pid);
    if (isAlive(holder, begin!)) return holder;
    rmSync(join(folder, file), { force: true });
  }
  return null;
}

const digestOf = (name: string): string =>
  createHash("sha256").update(name).digest("hex").slice(0, 16);

/** @param begin when the process that left the file was started; empty where the system does not tell */
function isAlive(pid: number, begin: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  // Numbers come again: after a container's restart its first process has the one that it had before.
  const now = beginOf(pid);
  return begin === "" || now === null || now === begin;
}

/** When a process was started, in the system's ticks; null where Linux' files do not tell. */
function beginOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, which may hold anything, ends at the last bracket; the 22nd field is the 20th after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
