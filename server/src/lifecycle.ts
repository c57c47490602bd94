/**
 * The life of a command's process: opened, ended in order by a signal, ended with one line by a
 * fault of its configuration, ended with a logged error by anything unforeseen that is no request's.
 */
import process from "node:process";
import { failScopedRequest } from "./api/http/routing/request-scope.ts";
import { errorCode } from "./platform/db/sql.ts";
import { isDatabaseUnavailable } from "./platform/db/unavailable.ts";
import type { Logger } from "./platform/log.ts";
import { isUntrusted } from "./platform/net/tls-faults.ts";
import { watchLaunchers } from "./platform/processes/launchers.ts";
import { StartupError } from "./platform/startup-error.ts";

export interface Service {
  close(): Promise<void>;
}

/** A service, which goes on until it is stopped, or what is done and ends. */
export type CommandRun = ServiceRun | { readonly log: Logger; readonly task: () => Promise<void> };

interface ServiceRun {
  readonly log: Logger;
  readonly open: () => Promise<Service>;
}

/** An orderly end may take this long. */
const CLOSE_MILLISECONDS = 10_000;

/** @param prepare reads the command line; null where there is nothing to run */
export async function runCommand(prepare: () => CommandRun | null): Promise<void> {
  try {
    const run = prepare();
    if (run === null) return;
    if ("task" in run) await run.task();
    else await serve(run);
  } catch (error) {
    const line = explain(error);
    process.stderr.write(`distillery: ${line ?? (error instanceof Error ? error.stack : error)}\n`);
    process.exitCode = 1;
  }
}

/** What ends a service in order. */
type Ending = NodeJS.Signals | "disconnect" | "launcher ended" | "output closed";

async function serve({ log, open }: ServiceRun): Promise<void> {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      if (failScopedRequest(error)) return;
      log.fatal(
        { err: error },
        event === "uncaughtException" ? "uncaught error" : "unhandled rejection",
      );
      // Handlers of `exit` end what runs beside this process.
      process.exit(1);
    });
  }
  const opening = open();
  const ended = new Promise<Ending>((resolve) => {
    void watchLaunchers(() => resolve("launcher ended"));
    // Nobody reads the log any more. Left to itself each line would fail the request that it is about, whose
    // failure is logged in turn.
    for (const output of [process.stdout, process.stderr]) {
      output.on("error", (error) => {
        if (errorCode(error) !== "EPIPE") throw error;
        resolve("output closed");
      });
    }
    // Started with a channel to its parent: without a parent there is nobody to serve.
    process.once("disconnect", () => resolve("disconnect"));
    let count = 0;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        count += 1;
        if (count > 1) process.exit(1);
        resolve(signal);
      });
    }
  });
  const service = await opening;
  const signal = await ended;
  log.info({ signal }, "stopping");
  const bound = setTimeout(() => {
    log.error("it did not stop in time");
    process.exit(1);
  }, CLOSE_MILLISECONDS);
  await service.close();
  clearTimeout(bound);
  log.info("stopped");
  // Nothing is left to wait for; what still holds the loop, such as an idle socket, is let go.
  process.exit(0);
}

/** One line for faults that the operator can mend; undefined for all others. */
export function explain(error: unknown): string | undefined {
  if (error instanceof StartupError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  const filesystem = path === undefined ? undefined : FILESYSTEM[code ?? ""];
  if (filesystem !== undefined) {
    return `${path} ${filesystem}: fix that, or choose another folder with DISTILLERY_HOME or --home`;
  }
  const { address, port } = networkPlace(error);
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${address} is taken: stop what uses it, or choose another with PORT or --port`;
    case "EADDRNOTAVAIL":
      return `${address} is not an address of this machine: choose another with HOST or --host`;
    case "EACCES":
      return port === undefined
        ? undefined
        : `port ${port} needs rights that this user lacks: choose another with PORT or --port`;
    default:
      return explainDatabase(error, code ?? "");
  }
}

/** What a connection to the database may fail by before a statement is sent. */
function explainDatabase(error: Error, code: string): string | undefined {
  if ("severity" in error) {
    // The server ends the connection with what it says: it knows no such user or database, or takes no more.
    return error.severity === "FATAL"
      ? `DATABASE_URL is refused by its server: ${error.message}`
      : undefined;
  }
  if (isUntrusted(error)) {
    return (
      `the certificate of DATABASE_URL's server is not to be trusted: ${error.message}; ` +
      "NODE_EXTRA_CA_CERTS names a file with the certificates of authorities of your own"
    );
  }
  if (code === "ECONNRESET" && /TLS/.test(error.message)) {
    return "the server of DATABASE_URL does not take TLS: turn it on there, or leave sslmode out";
  }
  return isDatabaseUnavailable(error) || UNREACHABLE.has(code)
    ? `the database of DATABASE_URL does not answer: ${error.message}`
    : undefined;
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** What the home's file system may say of a path, as the end of a sentence about it. */
const FILESYSTEM: Readonly<Record<string, string>> = {
  EACCES: "needs rights that this user lacks",
  EPERM: "cannot be written by this user",
  EROFS: "lies on a file system that is mounted read-only",
  ENOSPC: "lies on a disk that is full",
  EDQUOT: "lies on a disk of which this user has used up the quota",
  ENOTDIR: "cannot be made: a part of the path is a file",
  EEXIST: "cannot be made: there is a file of this name",
  ENOENT: "cannot be made",
  ELOOP: "goes through symbolic links in a circle",
  ENAMETOOLONG: "is too long a path",
};

function networkPlace(error: Error): { address?: unknown; port?: unknown } {
  return {
    ...("address" in error && { address: error.address }),
    ...("port" in error && { port: error.port }),
  };
}
