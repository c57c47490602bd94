/**
 * What an address of a connector must be. Faults are 422s at the member's own place, and repeat no
 * URL: somebody may have put a password into it.
 */

import type { Services } from "../../api/services.ts";
import { unprocessable } from "../../platform/input/problem.ts";
import { checkLiteral, normalizeHost } from "../../platform/net/destination.ts";
import { OutboundRefusedError } from "../../platform/net/outbound.ts";
import { allowedFolder } from "../../query/sources/file-source.ts";
import { SourceUrlError } from "../../query/sources/source-error.ts";
import { parseSourceUrl } from "../../query/sources/source-url.ts";
import type { Engine, ObjectStoreAddress, WarehouseAddress } from "./connector.ts";
import { checkWarehouseUrl } from "./open-sources.ts";

/** @throws UnprocessableError */
export function checkObjectStore(
  { config }: Services,
  address: ObjectStoreAddress,
  hasCredentials: boolean,
): void {
  refuseCredentials(
    ["body", "url"],
    address.url,
    "credentials.access_key_id and credentials.secret_access_key",
  );
  const { scheme } = at(["body", "url"], () => parseSourceUrl(address.url));
  if (scheme === "file") {
    at(["body", "url"], () => allowedFolder(address.url, config.fileRoots));
    const { endpoint, region, path_style } = address;
    const given = { endpoint, region, path_style, credentials: hasCredentials || null };
    for (const [member, value] of Object.entries(given)) {
      if (value !== null) {
        throw unprocessable(
          ["body", member],
          `a file: URL has no ${member}; leave it out or send null`,
        );
      }
    }
    return;
  }
  if (address.endpoint !== null) checkEndpoint(config, address.endpoint);
}

function checkEndpoint(config: Services["config"], endpoint: string): void {
  const loc = ["body", "endpoint"];
  refuseCredentials(loc, endpoint, "credentials.access_key_id and credentials.secret_access_key");
  const url = URL.parse(endpoint);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw unprocessable(loc, "it must be an https or http URL, such as https://s3.example.com");
  }
  if (url.search !== "" || url.hash !== "") {
    throw unprocessable(loc, "it must have no query and no fragment");
  }
  checkHost(config, loc, url.hostname);
}

/** @throws UnprocessableError */
export async function checkWarehouse(
  services: Services,
  { engine, url }: WarehouseAddress,
): Promise<void> {
  const loc = ["body", "url"];
  refuseCredentials(loc, url, WAREHOUSE_CREDENTIALS[engine]);
  try {
    await checkWarehouseUrl(services, engine, url);
  } catch (error) {
    if (error instanceof SourceUrlError) throw unprocessable(loc, sentence(error));
    throw error;
  }
  checkHost(services.config, loc, URL.parse(url)?.hostname ?? "");
}

const WAREHOUSE_CREDENTIALS: Readonly<Record<Engine, string>> = {
  postgres: "credentials.username and credentials.password",
  trino: "credentials.username and credentials.password, or credentials.token",
};

/** An address that is written out and may not be reached; names are looked at when they are used. */
function checkHost(config: Services["config"], loc: readonly string[], hostname: string): void {
  const host = normalizeHost(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (host === null) throw unprocessable(loc, "it must name a host");
  try {
    checkLiteral(host, config);
  } catch (error) {
    if (error instanceof OutboundRefusedError) throw unprocessable(loc, sentence(error));
    throw error;
  }
}

/** As the text has them, and as the parser finds them where slashes are missing or lean the other way. */
function refuseCredentials(loc: readonly string[], url: string, instead: string): void {
  const parsed = URL.parse(url);
  const parsedOut = parsed !== null && (parsed.username !== "" || parsed.password !== "");
  if (!parsedOut && !/^[^/]*:\/\/[^/?#]*@/.test(url)) return;
  throw unprocessable(loc, `a URL must not contain a user or a password: send them as ${instead}`);
}

function at<Result>(loc: readonly string[], check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (error instanceof SourceUrlError) throw unprocessable(loc, sentence(error));
    throw error;
  }
}

/** As a clause, as the messages of 422s are. */
const sentence = ({ message }: Error): string => message.replace(/\.$/, "");
