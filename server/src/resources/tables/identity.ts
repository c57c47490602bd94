/**
 * Registration identity of object-store URLs, as DataFusion's registry of object stores has it:
 * scheme, host and port. All paths of one listing table have the same.
 */

import { SourceUrlError } from "../../query/sources/source-error.ts";

/** Ports that a URL of the scheme means without naming them. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" };

const URL_PARTS = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)(?:\/|$)/;
const AUTHORITY = /^([A-Za-z0-9._~-]*|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;

/**
 * `S3://Bucket/a/` → `s3://bucket`.
 *
 * @throws SourceUrlError
 */
export function registrationIdentity(url: string): string {
  const parts = URL_PARTS.exec(url);
  if (parts === null) {
    throw new SourceUrlError("it should be an absolute URL, such as s3://bucket/path/");
  }
  const scheme = parts[1]!.toLowerCase();
  const written = parts[2]!;
  if (written.includes("@")) {
    throw new SourceUrlError(
      "a URL must not contain a user or a password; the connector has the credentials",
    );
  }
  const authority = AUTHORITY.exec(written);
  if (authority === null) throw new SourceUrlError("its host or port is malformed");
  const host = authority[1]!.toLowerCase();
  const port = authority[2] === undefined ? "" : String(Number(authority[2]));
  if (Number(port) > 65_535) throw new SourceUrlError("its port is above 65535");
  const local = scheme === "file";
  if (host === "" && !local)
    throw new SourceUrlError(`a ${scheme}: URL must name a host or a bucket`);
  const shownHost = local && host === "localhost" ? "" : host;
  const shownPort = port === "" || port === DEFAULT_PORTS[scheme] ? "" : `:${port}`;
  return `${scheme}://${shownHost}${shownPort}`;
}
