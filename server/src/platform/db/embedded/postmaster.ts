/**
 * The embedded server's process: is it there, start it, stop it.
 *
 * `postmaster.pid` in the data folder says which process serves it and, in its eighth line, how far
 * its start is. The process outlives a killed parent, and a process that has since been given the
 * same number is not it: the command line decides.
 */
import { execFile, spawn } from "node:child_process";
import { open, readFile, stat, unlink } from "node:fs/promises";
import { platform } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCode } from "../sql.ts";
import type { Account } from "./account.ts";
import type { Placement } from "./placement.ts";

const run = promisify(execFile);

export type PostmasterState =
  | { readonly kind: "none" | "starting" | "stopping" }
  | { readonly kind: "ready"; readonly pid: number };

const POLL_MILLISECONDS = 10;

/** A server writes its file as soon as it has made it; one that stays empty was left by a crash. */
const EMPTY_MILLISECONDS = 5000;

/** Reads `postmaster.pid`; a file left by a process that is gone is removed. */
export async function postmasterState(data: string): Promise<PostmasterState> {
  const path = join(data, "postmaster.pid");
  let text: string;
  try {
    text = await readFile(path, "utf8");
    // Made and not yet written: a server that is starting would end without its file.
    if (!text.includes("\n") && Date.now() - (await stat(path)).mtimeMs < EMPTY_MILLISECONDS) {
      return { kind: "starting" };
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "none" };
    throw error;
  }
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !(await serves(pid, data))) {
    await unlink(path).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
    });
    return { kind: "none" };
  }
  const status = lines[7]?.trim();
  if (status === "ready") return { kind: "ready", pid };
  return { kind: status === "stopping" ? "stopping" : "starting" };
}

/** Whether the process is a server of this data folder. */
async function serves(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (platform() === "linux") {
    const [command, state] = await Promise.all([
      readProc(`/proc/${pid}/cmdline`),
      readProc(`/proc/${pid}/stat`),
    ]);
    // A zombie has ended and waits for its parent to notice.
    if (/\) Z /.test(state)) return false;
    return command.split("\0").includes(data);
  }
  const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.includes(data);
}

async function readProc(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    // The process ended in between.
    if (["ENOENT", "ESRCH"].includes(errorCode(error) ?? "")) return "";
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** Settings that differ from PostgreSQL's own; durability is left as it is: full. */
const SETTINGS = [
  // Reached by its socket alone, so no port can be taken and no other user can connect.
  "listen_addresses=",
  "unix_socket_permissions=0700",
  "max_connections=200",
  "shared_buffers=128MB",
  "max_wal_size=512MB",
  "wal_level=minimal",
  "max_wal_senders=0",
  "log_timezone=UTC",
  "timezone=UTC",
  "password_encryption=scram-sha-256",
];

/**
 * Starts the server and gives its pid once it accepts connections.
 *
 * It gets a process group of its own: Ctrl-C in a terminal must reach this service first, which
 * finishes its work and then stops the server.
 *
 * @throws Error with the end of the server's log if it ends before it is ready
 */
export async function startPostmaster(
  binary: string,
  placement: Placement,
  account: Account,
): Promise<number> {
  const log = await open(placement.log, "a", 0o600);
  let logStart: number;
  let ended = false;
  let pid: number | undefined;
  try {
    logStart = (await log.stat()).size;
    const child = spawn(
      binary,
      [
        "-D",
        placement.data,
        ...SETTINGS.flatMap((setting) => ["-c", setting]),
        "-c",
        `unix_socket_directories=${placement.socket}`,
      ],
      {
        cwd: "/",
        env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" },
        stdio: ["ignore", log.fd, log.fd],
        detached: true,
        ...(account.switched && { uid: account.uid, gid: account.gid }),
      },
    );
    pid = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => resolve(child.pid!));
    });
    child.once("exit", () => {
      ended = true;
    });
    child.unref();
  } finally {
    await log.close();
  }
  while (!ended) {
    const state = await postmasterState(placement.data);
    if (state.kind === "ready" && state.pid === pid) return pid;
    await delay(POLL_MILLISECONDS);
  }
  const text = await readFile(placement.log, "utf8");
  throw new Error(text.slice(logStart).trim().split("\n").slice(-5).join("\n"));
}

/**
 * Ends the server: sessions are cut, the data folder is left clean. Waits until it is gone; after
 * `timeoutSeconds` it is ended as by a crash, from which the next start recovers.
 */
export async function stopPostmaster(
  data: string,
  pid: number,
  timeoutSeconds: number,
): Promise<void> {
  signal(pid, "SIGINT");
  const deadline = performance.now() + timeoutSeconds * 1000;
  while (await serves(pid, data)) {
    if (performance.now() > deadline) {
      signal(pid, "SIGQUIT");
      return;
    }
    await delay(POLL_MILLISECONDS);
  }
}

/** Sends a signal to a process that may be gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
