/**
 * Sockets of the driver `postgres`, which opens a connection anew, at once and without end, where the other side
 * closes it before its first byte, as a proxy or load balancer does that has no server behind it, or closes it behind an answer
 * that is none of PostgreSQL's: its statements would wait for ever, and a core would be busy with connecting.
 */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { Socket } from "node:net";
import type { Host } from "../database-hosts.ts";

/** What the driver knows of the server when it asks for a socket; hosts and ports are lists of one length. */
interface Target {
  readonly path: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * For one client: each call is another connection.
 *
 * @param hosts of which the first that can be reached is taken, where there are several; the driver then knows of one
 *   alone, since of several that are all away it would try one after the other without end
 * @param choose says which of them it is to be; null = any that can be reached
 */
export function openSockets(
  hosts: readonly string[] = [],
  choose: (() => Promise<Host>) | null = null,
): (target: Target) => Socket | Promise<Socket> {
  let opened = 0;
  const open = ({ path, host, port }: Target, hosts: readonly string[]): Socket => {
    const socket = new Socket();
    const at = opened++ % host.length;
    // The driver writes at once, which waits for the connection, and takes the host for the name of certificates.
    if (path !== false) socket.connect(path);
    else if (hosts.length > 1) connectToAny(socket, hosts, port[at]!);
    else Object.assign(socket, { host: host[at], port: port[at] }).connect(port[at]!, host[at]!);
    const place = hosts.length > 1 ? hosts.join(", ") : host[at];
    const whole = path || `${place}:${port[at]}`;
    socket.once("data", (answer: Buffer) => {
      if (!FIRST_BYTES.includes(String.fromCharCode(answer[0]!))) socket.destroy(foreign(whole));
    });
    socket.once("end", () => {
      if (socket.bytesRead === 0) socket.destroy(hungUp(whole));
    });
    return socket;
  };
  if (choose === null) return (target) => open(target, hosts);
  return async () => {
    const { name, port } = await choose();
    return open({ path: false, host: [name], port: [port] }, []);
  };
}

/** Of messages that a server begins with, and of answers to the question for TLS. */
const FIRST_BYTES = "RENSv";

/** How long one address of several is waited for, before the next one is tried. */
const ATTEMPT_MS = 3000;

function connectToAny(socket: Socket, hosts: readonly string[], port: number): void {
  const hostOf = new Map<string, string>();
  socket.once("error", (error) => {
    // Node leaves the message of several failures empty.
    if (error instanceof AggregateError) {
      error.message ||= error.errors.map(({ message }: Error) => message).join(", ");
    }
  });
  socket.once("connect", () => {
    Object.assign(socket, { host: hostOf.get(socket.remoteAddress ?? "") ?? hosts[0] });
  });
  Object.assign(socket, { host: hosts[0], port }).connect({
    host: hosts.join(","),
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    lookup: (_, _options, done) => {
      addressesOf(hosts, hostOf).then(
        (addresses) => done(null, addresses),
        (error) => done(error, []),
      );
    },
  });
}

/** @throws the first host's error, where none has an address */
async function addressesOf(
  hosts: readonly string[],
  hostOf: Map<string, string>,
): Promise<LookupAddress[]> {
  const found = await Promise.allSettled(hosts.map((host) => lookup(host, { all: true })));
  const addresses = found.flatMap((each, at) =>
    each.status === "fulfilled"
      ? each.value.map((address) => {
          hostOf.set(address.address, hosts[at]!);
          return address;
        })
      : [],
  );
  const [first] = found;
  if (addresses.length === 0 && first?.status === "rejected") throw first.reason;
  return addresses;
}

const hungUp = (place: string): Error =>
  closed(`${place} closed the connection before it answered`);

const foreign = (place: string): Error =>
  closed(`${place} answered, but not as PostgreSQL does: it is another kind of server`);

const closed = (message: string): Error =>
  Object.assign(new Error(message), { code: "CONNECTION_CLOSED" });
