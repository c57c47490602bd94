/**
 * PostgreSQL inside the product: with no `DATABASE_URL`, a server of its own under the home.
 *
 * One process owns a home at a time. Ownership is a session lock inside the database, so it ends
 * with its process however that ends; a server that outlived its owner is taken over as it runs.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { keptText } from "../../files/kept-file.ts";
import type { Logger } from "../../log.ts";
import { StartupError } from "../../startup-error.ts";
import { type Address, type Client, connect, errorCode } from "../sql.ts";
import { type Account, serverAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { type Placement, placeServer } from "./placement.ts";
import { postmasterState, signal, startPostmaster, stopPostmaster } from "./postmaster.ts";

const USER = "distillery";
const DATABASE = "postgres";

/** "home" in ASCII: the advisory lock that a home's owner holds. */
const OWNER_LOCK = 0x686f6d65;

/** A server that died badly holds its memory for a moment: how long a start is tried again. */
const START_PATIENCE_MILLISECONDS = 2000;
/** How long another process's server may take to get ready or to go. */
const FOREIGN_PATIENCE_MILLISECONDS = 30_000;

/** A server that ended under its owner is started again for so long, and so often. */
const RECOVERY_PATIENCE_MILLISECONDS = 60_000;
const RECOVERY_PAUSE_MILLISECONDS = 500;

export interface EmbeddedDatabase {
  readonly address: Address;
  /** True when a server left by a killed owner was taken over. */
  readonly adopted: boolean;
  /** Gives up the home and stops the server. */
  close(): Promise<void>;
}

/**
 * Starts (creating it first where there is none) or takes over the home's server and becomes the
 * home's owner.
 *
 * @param home an absolute path; created if missing
 * @throws StartupError another live process owns the home
 */
export async function openEmbedded(home: string, log: Logger): Promise<EmbeddedDatabase> {
  const { account, placement, address } = await locate(home);
  if (placement.outside) {
    log.info(
      { data: placement.data },
      "the database lies outside the home, where PostgreSQL's user can get to it",
    );
  }
  const binaries = await findBinaries(account, placement.binaries, log);
  if (!(await exists(join(placement.data, "PG_VERSION")))) {
    await createCluster(binaries.initdb, placement, account, await password(home));
  }
  const keeper = new Keeper(() => take(binaries.postgres, placement, account, address, home), log);
  const adopted = await keeper.begin();
  // Whatever ends this process short of SIGKILL takes the server with it.
  const onExit = () => signal(keeper.pid, "SIGINT");
  process.once("exit", onExit);
  let closing: Promise<void> | undefined;
  return {
    address,
    adopted,
    close: () => {
      closing ??= (async () => {
        await keeper.end();
        await stopPostmaster(placement.data, keeper.pid, 20);
        process.off("exit", onExit);
      })();
      return closing;
    },
  };
}

/** A server that was started, or found, and the client whose session holds the owner's lock. */
interface Taken {
  readonly pid: number;
  readonly adopted: boolean;
  readonly owner: Client;
  /** Told once, when the owner's session has ended. */
  readonly lost: Promise<void>;
}

/**
 * Stays the owner of a server for as long as the service lives: one that ends under it (killed, out
 * of memory) is started again. Whatever spoke with it connects again by itself, and tasks that it
 * interrupted are taken up where their logs end.
 */
class Keeper {
  readonly #take: () => Promise<Taken>;
  readonly #log: Logger;
  #taken: Taken | undefined;
  #recovering: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(take: () => Promise<Taken>, log: Logger) {
    this.#take = take;
    this.#log = log;
  }

  /** Of the server. */
  get pid(): number {
    if (this.#taken === undefined) throw new Error("the embedded database was not taken yet");
    return this.#taken.pid;
  }

  /** @returns whether a server that ran already was taken over */
  async begin(): Promise<boolean> {
    const taken = await this.#take();
    this.#hold(taken);
    return taken.adopted;
  }

  /** Gives up the lock. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#recovering;
    await this.#taken?.owner.end({ timeout: 1 });
  }

  #hold(taken: Taken): void {
    this.#taken = taken;
    void taken.lost.then(() => {
      if (this.#ended || this.#taken !== taken) return;
      this.#recovering = this.#recover(taken);
    });
  }

  async #recover({ owner }: Taken): Promise<void> {
    this.#log.error("the embedded database has ended; it is started again");
    const start = performance.now();
    await owner.end({ timeout: 0 });
    while (!this.#ended) {
      try {
        this.#hold(await this.#take());
        const milliseconds = Math.round(performance.now() - start);
        this.#log.info({ milliseconds }, "the embedded database serves again");
        return;
      } catch (error) {
        if (performance.now() - start > RECOVERY_PATIENCE_MILLISECONDS) {
          // Whoever supervises this process starts it anew, and says so; what is left here is of no use.
          this.#log.fatal({ err: error }, "the embedded database cannot be started again");
          process.exit(1);
        }
        this.#log.warn({ err: error }, "the embedded database does not start; trying again");
        await delay(RECOVERY_PAUSE_MILLISECONDS);
      }
    }
  }
}

/**
 * The address of the server that another process runs for this home, for a worker beside it.
 *
 * @throws StartupError none runs
 */
export async function joinEmbedded(home: string): Promise<Address> {
  const { placement, address } = await locate(home);
  const state = await postmasterState(placement.data);
  if (state.kind !== "ready") {
    throw new StartupError(
      `no server runs on ${home}: start one first, or set DATABASE_URL to the database of the service to work for`,
    );
  }
  return address;
}

async function locate(
  home: string,
): Promise<{ account: Account; placement: Placement; address: Address }> {
  const account = await serverAccount();
  await mkdir(home, { recursive: true, mode: 0o700 });
  const placement = await placeServer(home, account);
  const address = {
    socketFolder: placement.socket,
    user: USER,
    password: await password(home),
    database: DATABASE,
  };
  return { account, placement, address };
}

/** The superuser's password, made once for each home. */
async function password(home: string): Promise<string> {
  const make = () => randomBytes(32).toString("base64url");
  return (await keptText(join(home, "postgres.password"), 0o600, make)).trim();
}

/** Makes the data folder beside its place and moves it there whole. */
async function createCluster(
  initdb: string,
  placement: Placement,
  account: Account,
  secret: string,
): Promise<void> {
  const scratch = await mkdtemp(join(dirname(placement.data), "new-"));
  const passwordFile = join(scratch, "password");
  const data = join(scratch, "data");
  try {
    await writeFile(passwordFile, secret, { mode: 0o600 });
    if (account.switched) {
      await chown(scratch, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    await runInitdb(initdb, data, passwordFile, account);
    await rename(data, placement.data);
  } catch (error) {
    // Another start on the same home made it first; who owns it is settled later.
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function runInitdb(
  initdb: string,
  data: string,
  passwordFile: string,
  account: Account,
): Promise<void> {
  const child = spawn(
    initdb,
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
    ],
    {
      cwd: "/",
      env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "ignore", "pipe"],
      ...(account.switched && { uid: account.uid, gid: account.gid }),
    },
  );
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`the database could not be created: ${errors.trim()}`);
}

async function ensureRunning(
  binary: string,
  placement: Placement,
  account: Account,
): Promise<{ pid: number; adopted: boolean }> {
  const start = performance.now();
  for (;;) {
    const state = await postmasterState(placement.data);
    const waited = performance.now() - start;
    if (state.kind === "ready") return { pid: state.pid, adopted: true };
    if (state.kind === "none") {
      try {
        return { pid: await startPostmaster(binary, placement, account), adopted: false };
      } catch (error) {
        if (waited > START_PATIENCE_MILLISECONDS) {
          const reason = error instanceof Error ? error.message : String(error);
          throw new StartupError(`the database of this home does not start: ${reason}`);
        }
      }
    } else if (waited > FOREIGN_PATIENCE_MILLISECONDS) {
      throw new StartupError(`the database of this home is ${state.kind} and does not get ready`);
    }
    await delay(50);
  }
}

/** Gets a running server and the owner's lock in it. */
async function take(
  binary: string,
  placement: Placement,
  account: Account,
  address: Address,
  home: string,
): Promise<Taken> {
  const start = performance.now();
  for (;;) {
    const { pid, adopted } = await ensureRunning(binary, placement, account);
    const { promise: lost, resolve: onClose } = Promise.withResolvers<void>();
    const owner = connect(address, { max: 1, onClose });
    try {
      await own(owner, home);
      return { pid, adopted, owner, lost };
    } catch (error) {
      await owner.end({ timeout: 1 });
      // The server may have been on its way out, with the owner before us.
      const last = performance.now() - start > FOREIGN_PATIENCE_MILLISECONDS;
      if (error instanceof StartupError || last || errorCode(error) === "28P01") throw error;
    }
    await delay(50);
  }
}

async function own(client: Client, home: string): Promise<void> {
  const start = performance.now();
  for (;;) {
    const [row] = await client<{ owned: boolean }[]>`
      select pg_try_advisory_lock(${OWNER_LOCK}) as owned`;
    if (row?.owned) return;
    // A killed owner's session ends a moment after it.
    if (performance.now() - start > 1000) {
      throw new StartupError(
        `another process uses ${home}: stop it, or choose another folder with DISTILLERY_HOME or --home`,
      );
    }
    await delay(50);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
