/**
 * Which user the embedded server runs as. PostgreSQL refuses to run as root, so there it runs as an
 * existing unprivileged user: `postgres` where there is one, else `nobody`.
 */
import { readFile } from "node:fs/promises";

export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** True when the server must be started under another user than ours. */
  readonly switched: boolean;
}

const CANDIDATES = ["postgres", "nobody"];

/** @param passwd the text of the password file, read from the system unless given */
export async function serverAccount(
  uid = process.getuid?.() ?? -1,
  gid = process.getgid?.() ?? -1,
  passwd?: string,
): Promise<Account> {
  if (uid !== 0) return { uid, gid, switched: false };
  const text = passwd ?? (await readFile("/etc/passwd", "utf8"));
  const entries = text.split("\n").map((line) => line.split(":"));
  for (const name of CANDIDATES) {
    const entry = entries.find((fields) => fields[0] === name);
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]), switched: true };
  }
  throw new Error(
    "PostgreSQL does not run as root and there is no user postgres or nobody to run it as: " +
      "start as another user, or set DATABASE_URL",
  );
}
