/**
 * Where the embedded server's data, socket and binaries lie.
 *
 * All under the home, whose own folder lets others pass through where the server runs as another
 * user (we are root); what lies in it has modes of its own. If that user cannot even get to the home
 * (it is below a 0700 folder), then under `/var/lib/distillery`, in a folder named by the home's
 * path. The home keeps the data's place, so that a home which is moved finds its data again.
 */
import { createHash } from "node:crypto";
import { chmod, chown, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { keptText } from "../../files/kept-file.ts";
import type { Account } from "./account.ts";

/** Longest path of a Unix socket that all systems take, less the socket's own name. */
const SOCKET_FOLDER_LIMIT = 103 - ".s.PGSQL.5432".length - 1;

const OUTSIDE = "/var/lib/distillery";

export interface Placement {
  /** PostgreSQL's data folder. */
  readonly data: string;
  /** Folder of the Unix socket, private to the server's user. */
  readonly socket: string;
  /** The server's own log. */
  readonly log: string;
  /** Where binaries are copied if they cannot be used where they are installed. */
  readonly binaries: string;
  /** True when the data does not lie under the home. */
  readonly outside: boolean;
}

/** Finds the place, creating the folders; `home` exists. */
export async function placeServer(home: string, account: Account): Promise<Placement> {
  const inside = join(home, "postgres");
  await mkdir(inside, { recursive: true, mode: 0o700 });
  const choice = async () => `${await choose(home, inside, account)}\n`;
  const root = (await keptText(join(inside, "location"), 0o600, choice)).trim();
  await mkdir(root, { recursive: true, mode: 0o700 });
  if (account.switched) await chown(root, account.uid, account.gid);
  const socket = await socketFolder(root, account);
  const outside = root !== inside;
  return {
    data: join(root, "data"),
    socket,
    log: join(root, "postgres.log"),
    binaries: outside ? join(OUTSIDE, "binaries") : join(root, "binaries"),
    outside,
  };
}

async function choose(home: string, inside: string, account: Account): Promise<string> {
  if (!account.switched) return inside;
  if (await canReach(account, dirname(home))) {
    const { mode } = await stat(home);
    await chmod(home, (mode & 0o777) | 0o011);
    return inside;
  }
  const digest = createHash("sha256")
    .update(await realpath(home))
    .digest("hex");
  await mkdir(OUTSIDE, { recursive: true, mode: 0o755 });
  return join(OUTSIDE, digest.slice(0, 16));
}

/** Whether the account may traverse every folder down to `path`, `path` itself included. */
export async function canReach(account: Account, path: string): Promise<boolean> {
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function socketFolder(root: string, account: Account): Promise<string> {
  let folder = join(root, "socket");
  if (Buffer.byteLength(folder) > SOCKET_FOLDER_LIMIT) {
    const digest = createHash("sha256").update(root).digest("hex");
    folder = join("/tmp", `distillery-${digest.slice(0, 16)}`);
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  const ours = process.getuid?.() ?? uid;
  // Under /tmp somebody else may have made the folder first, and would see the socket.
  if ((uid !== ours && uid !== account.uid) || (mode & 0o077) !== 0) {
    throw new Error(`${folder} must belong to the server's user alone, mode 0700`);
  }
  if (account.switched) await chown(folder, account.uid, account.gid);
  return folder;
}
