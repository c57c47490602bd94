/** A connection for HTTP over a checked TCP connection, within a time, encrypted where asked. */

import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { OutboundFailedError } from "./outbound.ts";

/** Until a connection stands, encryption included. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface HttpDestination {
  /** Name or address, an IPv6 address with or without brackets. */
  readonly host: string;
  readonly port: number;
  readonly encrypted: boolean;
}

type Connect = (host: string, port: number, signal: AbortSignal) => Promise<Socket>;

/**
 * @throws OutboundRefusedError
 * @throws OutboundFailedError
 */
export async function httpConnection(connect: Connect, to: HttpDestination): Promise<Socket> {
  const clock = new AbortController();
  const timer = setTimeout(
    () =>
      clock.abort(
        new OutboundFailedError("timeout", `${to.host}:${to.port} did not answer in time.`),
      ),
    CONNECT_TIMEOUT_MS,
  );
  try {
    const socket = await connect(to.host, to.port, clock.signal);
    socket.setNoDelay(true);
    if (!to.encrypted) return socket;
    return await encrypt(socket, to.host.replace(/^\[(.*)\]$/, "$1"), clock.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** TLS, the certificate verified against the host that was named. */
function encrypt(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const encrypted = connectTls({
      socket,
      host,
      // RFC 6066: an address is no server name.
      servername: /^[\d.]+$|:/.test(host) ? "" : host,
      ALPNProtocols: ["http/1.1"],
    });
    const end = (error: unknown): void => {
      signal.removeEventListener("abort", abort);
      // An error after this has nobody to tell.
      encrypted.on("error", () => undefined);
      encrypted.destroy();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => end(signal.reason);
    const fail = (cause: unknown): void => {
      const message = `No encrypted connection to ${host} could be established.`;
      end(new OutboundFailedError("unreachable", message, { cause }));
    };
    encrypted.once("error", fail);
    encrypted.once("secureConnect", () => {
      signal.removeEventListener("abort", abort);
      encrypted.removeListener("error", fail);
      resolve(encrypted);
    });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}
