/**
 * A TCP connection to a checked address. The name is resolved once and the connection goes to what
 * that gave, so that a name that answers differently the second time (DNS rebinding) gains nothing.
 */

import { connect, type LookupFunction, type Socket } from "node:net";
import {
  type CheckedAddress,
  checkAddress,
  normalizeHost,
  type Reach,
  resolveChecked,
} from "./destination.ts";
import { OutboundFailedError, OutboundRefusedError } from "./outbound.ts";

/**
 * @throws OutboundRefusedError
 * @throws OutboundFailedError
 */
export async function guardedConnect(
  host: string,
  port: number,
  reach: Reach,
  signal: AbortSignal,
): Promise<Socket> {
  const name = normalizeHost(host);
  if (name === null) throw new OutboundRefusedError("malformed", `"${host}" is not a host name.`);
  const addresses = await resolveChecked(name, reach, signal);
  const socket = await open(name, port, addresses, signal);
  try {
    // The lists above say where it goes; this says where it went.
    checkAddress(socket.remoteAddress ?? "", name, reach);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

function open(
  host: string,
  port: number,
  addresses: readonly CheckedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
  return new Promise((resolve, reject) => {
    const [first] = addresses;
    // With several addresses Node tries them side by side (RFC 8305), all of them from the list.
    const socket = connect(
      addresses.length === 1 && first !== undefined
        ? { host: first.address, port }
        : { host, port, lookup, autoSelectFamily: true },
    );
    const settle = (): void => {
      signal.removeEventListener("abort", abort);
      socket.removeListener("error", fail);
      socket.removeListener("connect", done);
    };
    const fail = (cause: unknown): void => {
      settle();
      socket.destroy();
      const message = `${place(host, port)} cannot be connected to.`;
      reject(new OutboundFailedError("unreachable", message, { cause }));
    };
    const abort = (): void => {
      settle();
      // An error after this has nobody to tell.
      socket.on("error", () => undefined);
      socket.destroy();
      reject(signal.reason);
    };
    const done = (): void => {
      settle();
      resolve(socket);
    };
    socket.once("error", fail);
    socket.once("connect", done);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}

/** `host:port`, an IPv6 address in brackets. */
export function place(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
