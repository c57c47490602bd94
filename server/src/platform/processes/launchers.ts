/**
 * What stands between this process and the person who started it by a package manager:
 * `npx -y pnpm@12 start` is npm, a shell, pnpm and a second shell. npm hands a SIGTERM to its shell,
 * which ends of it and hands on nothing; so the service would outlive what it was started as. It
 * watches them instead, and ends in order when one of them has gone.
 *
 * A SIGINT to npm alone cannot be seen so: npm takes it, does nothing, and stays, since a terminal sends
 * Ctrl-C to all of them at once. To stop the service by one number, send SIGTERM.
 *
 * A package manager marks the environment of what it starts. From this process upwards, the parent of
 * a process so marked is such a launcher; the shell or supervisor above them is none.
 */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { errorCode } from "../db/sql.ts";

const LOOK_MILLISECONDS = 500;
/** npm, pnpm and yarn set these for what they start. */
const MARK = /(?:^|\0)npm_(?:lifecycle_event|execpath|config_user_agent)=/;

/** A process, told apart from a later one of the same number. */
interface Launcher {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * Calls back once when a launcher has ended. Only Linux shows what is needed (`/proc`); elsewhere
 * nothing is watched.
 *
 * @returns ends the watch
 */
export async function watchLaunchers(onGone: () => void): Promise<() => void> {
  const launchers = await findLaunchers();
  if (launchers.length === 0) return () => undefined;
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    const there = await Promise.all(launchers.map(isThere));
    looking = false;
    if (there.every((one) => one)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}

async function findLaunchers(): Promise<Launcher[]> {
  const launchers: Launcher[] = [];
  let pid = process.pid;
  while (MARK.test((await readProc(pid, "environ")) ?? "")) {
    const parent = (await statOf(pid))?.parent ?? 0;
    const stat = await statOf(parent);
    if (parent <= 1 || stat === null) break;
    launchers.push({ pid: parent, startedAt: stat.startedAt });
    pid = parent;
  }
  return launchers;
}

async function isThere({ pid, startedAt }: Launcher): Promise<boolean> {
  const stat = await statOf(pid);
  // A zombie has ended and waits for its parent to notice.
  return stat !== null && stat.startedAt === startedAt && stat.state !== "Z";
}

/** Of `/proc/<pid>/stat`: the name in parentheses may hold anything, so what follows it counts. */
async function statOf(
  pid: number,
): Promise<{ state: string; parent: number; startedAt: string } | null> {
  const text = await readProc(pid, "stat");
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", parent: Number(fields[1]), startedAt: fields[19] ?? "" };
}

/** Null where there is no such process, or it is another user's. */
async function readProc(pid: number, name: "environ" | "stat"): Promise<string | null> {
  try {
    return await readFile(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}
