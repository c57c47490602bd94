/** What opens a warehouse; and the parts that all of them share of a connector's URL. */

import { SourceUrlError } from "./source-error.ts";

export interface WarehouseCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
}

export interface WarehouseSettings {
  readonly url: string;
  readonly credentials: WarehouseCredentials | null;
  /** Tells warehouses apart that share URLs but not credentials; for cache keys. */
  readonly cacheScope: string;
  /** Until the server has taken the connection and the credentials, milliseconds; default 10,000. */
  readonly connectTimeoutMs?: number;
}

export const CONNECT_TIMEOUT_MS = 10_000;

/** Port of a URL that names none, by its scheme. */
export type SchemePorts = Readonly<Record<string, number>>;

/**
 * A URL with a host, one of the schemes, and nothing secret.
 *
 * @param example shown where the URL is malformed
 * @throws SourceUrlError, whose sentence does not repeat the URL
 */
export function parseServerUrl(
  text: string,
  ports: SchemePorts,
  example: string,
): { readonly url: URL; readonly scheme: string; readonly host: string; readonly port: number } {
  const url = URL.parse(text);
  if (url === null) throw new SourceUrlError(`It is not a URL such as ${example}.`);
  const scheme = url.protocol.slice(0, -1);
  const defaultPort = ports[scheme];
  if (defaultPort === undefined) {
    const schemes = Object.keys(ports).map((name) => `${name}://`);
    throw new SourceUrlError(`It must begin with ${schemes.join(" or ")}, as in ${example}.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new SourceUrlError("It must not contain a user or a password: give them as credentials.");
  }
  if (url.hash !== "") throw new SourceUrlError("It must not contain a fragment (#…).");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!/^[A-Za-z0-9._:-]+$/.test(host)) {
    throw new SourceUrlError(`It must name one host, as in ${example}.`);
  }
  const port = url.port === "" ? defaultPort : Number(url.port);
  if (port === 0) throw new SourceUrlError("Its port must be from 1 to 65535.");
  return { url, scheme, host, port };
}

/** `host:port`, an IPv6 address in brackets. */
export function serverPlace(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
