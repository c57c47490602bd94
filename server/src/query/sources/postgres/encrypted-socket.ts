/**
 * A connection to PostgreSQL up to where its protocol begins: TCP by the way out, then TLS as the
 * URL's sslmode asks. The client asks for TLS with one packet, and the server answers with one byte.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
 */

import { isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Outbound } from "../../../platform/net/outbound.ts";
import { SourceError } from "../source-error.ts";
import type { PostgresAddress } from "./address.ts";

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const CANCEL_REQUEST = 80877102;
const ACCEPTED = "S".charCodeAt(0);
const DECLINED = "N".charCodeAt(0);

/**
 * @throws SourceError, OutboundRefusedError, OutboundFailedError, or the reason of the signal
 */
export async function openSocket(
  address: PostgresAddress,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = await outbound.connect(address.host, address.port, signal);
  socket.setNoDelay(true);
  if (address.sslMode === "disable") return socket;
  return await untilAborted(socket, signal, async () => {
    const answer = await askForTls(socket, address);
    if (answer === ACCEPTED) return await encrypted(socket, address);
    if (answer !== DECLINED) {
      const sentence = `${address.place} does not answer as a PostgreSQL server does.`;
      throw new SourceError("broken", sentence);
    }
    if (address.sslMode === "prefer") return socket;
    const sentence = `${address.place} offers no TLS, which sslmode=${address.sslMode} asks for.`;
    throw new SourceError("refused", sentence);
  });
}

/** Asks the server to end the statement of another connection; it answers by closing this one. */
export async function requestCancel(
  address: PostgresAddress,
  outbound: Outbound,
  key: { readonly process: number; readonly secret: number },
  signal: AbortSignal,
): Promise<void> {
  const socket = await openSocket(address, outbound, signal);
  const packet = Buffer.alloc(16);
  packet.writeInt32BE(16, 0);
  packet.writeInt32BE(CANCEL_REQUEST, 4);
  packet.writeInt32BE(key.process, 8);
  packet.writeInt32BE(key.secret, 12);
  await untilAborted(socket, signal, async () => {
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("close", () => resolve());
      socket.resume();
      socket.end(packet);
    });
    return socket;
  });
}

async function untilAborted(
  socket: Socket,
  signal: AbortSignal,
  work: () => Promise<Socket>,
): Promise<Socket> {
  const abort = (): void => {
    socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    // What the socket says after it was given up has nobody to be told.
    socket.on("error", () => undefined);
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Reads one byte and no more, so that nothing sent before the encryption is taken for after it. */
function askForTls(socket: Socket, address: PostgresAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.removeListener("readable", read);
      socket.removeListener("error", reject);
      socket.removeListener("close", closed);
    };
    const read = (): void => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return;
      settle();
      if (bytes.length === 1) resolve(bytes[0]!);
      else {
        const sentence = `${address.place} does not answer as a PostgreSQL server does.`;
        reject(new SourceError("broken", sentence));
      }
    };
    const closed = (): void => {
      settle();
      const sentence = `${address.place} closed the connection when it was asked for TLS.`;
      reject(new SourceError("unreachable", sentence));
    };
    socket.on("readable", read);
    socket.once("error", reject);
    socket.once("close", closed);
    socket.write(SSL_REQUEST);
  });
}

function encrypted(socket: Socket, address: PostgresAddress): Promise<TLSSocket> {
  const verified = address.sslMode === "verify-ca" || address.sslMode === "verify-full";
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      host: address.host,
      ...(isIP(address.host) === 0 && { servername: address.host }),
      rejectUnauthorized: verified,
      ...(address.sslMode !== "verify-full" && { checkServerIdentity: () => undefined }),
    });
    const fail = (cause: Error): void => {
      // Node's advice behind it is for programs.
      const [reason] = cause.message.split(";");
      const advice = verified
        ? ` sslmode=${address.sslMode} of the URL wants a certificate that this service's machine trusts; sslmode=require looks at none.`
        : "";
      const sentence = `${address.place} failed the TLS handshake: ${reason}.${advice}`;
      reject(new SourceError(verified ? "refused" : "unreachable", sentence, { cause }));
    };
    secure.once("error", fail);
    secure.once("secureConnect", () => {
      secure.removeListener("error", fail);
      resolve(secure);
    });
  });
}
