/**
 * Sockets of the driver `postgres`, which opens a connection anew, at once and without end, where the other side
 * closes it before its first byte, as a proxy or load balancer does that has no server behind it: its statements
 * would wait for ever, and a core would be busy with connecting.
 */
import { Socket } from "node:net";

/** What the driver knows of the server when it asks for a socket; hosts and ports are lists of one length. */
interface Target {
  readonly path: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/** For one client: each call is another connection, to the next of its hosts. */
export function openSockets(): (target: Target) => Socket {
  let opened = 0;
  return ({ path, host, port }) => {
    const socket = new Socket();
    const at = opened++ % host.length;
    // The driver writes at once, which waits for the connection, and takes the host for the name of certificates.
    if (path !== false) socket.connect(path);
    else Object.assign(socket, { host: host[at], port: port[at] }).connect(port[at]!, host[at]!);
    socket.once("end", () => {
      if (socket.bytesRead === 0) socket.destroy(hungUp(path || `${host[at]}:${port[at]}`));
    });
    return socket;
  };
}

function hungUp(place: string): Error {
  const error = new Error(`${place} closed the connection before it answered`);
  return Object.assign(error, { code: "CONNECTION_CLOSED" });
}
