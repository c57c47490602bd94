/** `trino://host:8080` of a connector, or the same as `http://` and, encrypted, `trinos://`, `https://`. */

import { SourceUrlError } from "../source-error.ts";
import { parseServerUrl, serverPlace } from "../warehouse-settings.ts";

export interface TrinoAddress {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  readonly encrypted: boolean;
  /** `Trino at host:port`, for messages. */
  readonly place: string;
}

const EXAMPLE = "trino://host:8080 or trinos://host:443";
const PORTS = { trino: 8080, trinos: 443, http: 80, https: 443 };

/** @throws SourceUrlError with a sentence for whoever wrote the URL */
export function parseTrinoUrl(text: string): TrinoAddress {
  const { url, scheme, host, port } = parseServerUrl(text, PORTS, EXAMPLE);
  if (url.pathname !== "" && url.pathname !== "/") {
    throw new SourceUrlError(
      "It must not contain a path: a table's catalog and schema are its own.",
    );
  }
  if (url.search !== "") throw new SourceUrlError("It must not contain parameters (?…).");
  const encrypted = scheme === "trinos" || scheme === "https";
  const place = serverPlace(host, port);
  return {
    origin: new URL(`${encrypted ? "https" : "http"}://${place}`).origin,
    encrypted,
    place: `Trino at ${place}`,
  };
}
