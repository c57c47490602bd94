/** `postgres://host:5432/database?sslmode=…` of a connector, without user and password. */

import { SourceUrlError } from "../source-error.ts";
import { parseServerUrl, serverPlace } from "../warehouse-settings.ts";

/**
 * As libpq names them. `prefer` encrypts where the server offers it; `require` encrypts and does not
 * look at the certificate; `verify-ca` wants a certificate of an authority that this machine trusts,
 * `verify-full` one that is also of the host's name.
 */
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly sslMode: SslMode;
  /** `PostgreSQL at host:port`, for messages. */
  readonly place: string;
}

const EXAMPLE = "postgres://host:5432/database?sslmode=require";
const PORTS = { postgres: 5432, postgresql: 5432 };
/** PostgreSQL cuts longer names off, and so would connect to another database. */
const MAX_NAME_BYTES = 63;

/** @throws SourceUrlError with a sentence for whoever wrote the URL */
export function parsePostgresUrl(text: string): PostgresAddress {
  const { url, host, port } = parseServerUrl(text, PORTS, EXAMPLE);
  const database = decoded(url.pathname.slice(1));
  if (database === "" || url.pathname.slice(1).includes("/")) {
    throw new SourceUrlError(`It must name one database, as in ${EXAMPLE}.`);
  }
  if (Buffer.byteLength(database) > MAX_NAME_BYTES || database.includes("\0")) {
    throw new SourceUrlError(`Its database's name must be at most ${MAX_NAME_BYTES} bytes long.`);
  }
  let sslMode: SslMode = "prefer";
  for (const [name, value] of url.searchParams) {
    const mode = SSL_MODES.find((one) => one === value);
    if (name !== "sslmode") {
      throw new SourceUrlError(`Its parameter "${name}" is not known; only sslmode is.`);
    }
    if (mode === undefined) {
      throw new SourceUrlError(`Its sslmode must be one of ${SSL_MODES.join(", ")}.`);
    }
    sslMode = mode;
  }
  return { host, port, database, sslMode, place: `PostgreSQL at ${serverPlace(host, port)}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new SourceUrlError("Its database's name is not percent-encoded UTF-8.", { cause });
  }
}
