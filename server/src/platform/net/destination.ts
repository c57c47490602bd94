/** From a host as somebody wrote it to the addresses that may be connected to. */

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type AddressClass, classifyAddress } from "./address.ts";
import { OutboundFailedError, OutboundRefusedError } from "./outbound.ts";

export interface CheckedAddress {
  readonly address: string;
  readonly family: number;
}

/** Which addresses are refused. */
export interface Reach {
  /** Finds the addresses of a name; the system's resolver unless told. */
  readonly resolve?: (name: string) => Promise<readonly CheckedAddress[]>;
  /** Private, loopback, link-local and other addresses that are not public may be reached. */
  readonly allowPrivateNetwork: boolean;
}

/**
 * The host as the URL standard reads it: `0x7f.1`, `2130706433` and `127.0.0.1` are one, names are
 * in lower case, an IPv6 address is without brackets. Null where it is no host.
 */
export function normalizeHost(host: string): string | null {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  if (/[/?#@\\:\s]/.test(bracketed.replace(/^\[[^\]]*\]$/, ""))) return null;
  const hostname = URL.parse(`http://${bracketed}/`)?.hostname;
  return hostname ? hostname.replace(/^\[(.*)\]$/, "$1") : null;
}

/** @throws OutboundRefusedError where the host is an address that may not be reached */
export function checkLiteral(host: string, reach: Reach): void {
  if (isIP(host) !== 0) checkAddress(host, host, reach);
}

/**
 * All addresses of the host, each checked: a name that also answers with one that may not be
 * reached is refused as a whole, since which of them would be met is chance.
 *
 * @param host as `normalizeHost` gives it
 * @throws OutboundRefusedError
 * @throws OutboundFailedError
 */
export async function resolveChecked(
  host: string,
  reach: Reach,
  signal: AbortSignal,
): Promise<readonly CheckedAddress[]> {
  signal.throwIfAborted();
  const family = isIP(host);
  if (family !== 0) {
    checkAddress(host, host, reach);
    return [{ address: host, family }];
  }
  const addresses = await resolve(host, reach, signal);
  for (const { address } of addresses) checkAddress(address, host, reach);
  return addresses;
}

async function resolve(
  host: string,
  reach: Reach,
  signal: AbortSignal,
): Promise<readonly CheckedAddress[]> {
  let abort = (): void => undefined;
  // The system's resolver cannot be stopped, only left.
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    const asked = reach.resolve?.(host) ?? lookup(host, { all: true, verbatim: true });
    const addresses = await Promise.race([asked, aborted]);
    if (addresses.length === 0) throw new Error("the name has no address");
    return addresses;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new OutboundFailedError("unreachable", `The name ${host} cannot be resolved.`, {
      cause: error,
    });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const WORDS: Readonly<Record<Exclude<AddressClass, "public">, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  "link-local": "a link-local address",
  "carrier-nat": "an address of a carrier's NAT",
  multicast: "a multicast address",
  unspecified: "an unspecified address",
  documentation: "an address for documentation",
  reserved: "a reserved address",
  metadata: "an address of a cloud's metadata service",
};

/**
 * Metadata services stay out of reach also where the private network is allowed: they hand the
 * machine's own credentials to whoever asks, and no source of data lives there.
 */
export function checkAddress(address: string, host: string, reach: Reach): void {
  const kind = classifyAddress(address);
  if (kind === "public" || (reach.allowPrivateNetwork && kind !== "metadata")) return;
  const subject = address === host ? `${host} is` : `${host} resolves to ${address},`;
  const remedy =
    kind === "metadata"
      ? ""
      : "; whoever runs the service can allow it with DISTILLERY_ALLOW_PRIVATE_NETWORK=1";
  throw new OutboundRefusedError(
    kind,
    `${subject} ${WORDS[kind]}, which may not be reached from here${remedy}.`,
  );
}
