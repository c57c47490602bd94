/**
 * The address that a request comes from. Behind proxies that the operator trusts it is read from
 * `X-Forwarded-For`, from the right: each trusted hop vouches for the entry before its own, and the
 * first that is not trusted is the client, whatever it wrote itself further left.
 */
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/**
 * What Fastify asks of each hop.
 *
 * @param networks addresses and networks (CIDR) of the proxies
 */
export function trustIn(networks: readonly string[]): false | ((hop: string) => boolean) {
  if (networks.length === 0) return false;
  const ranges = networks.map((text) =>
    ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`),
  );
  return (hop) => {
    const address = addressOf(hop);
    if (address === null) return false;
    return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
  };
}

/** Of the client; where a proxy names it by anything but an address, of that proxy. */
export function clientAddress(request: FastifyRequest): string {
  const address = addressOf(request.ip);
  if (address !== null) return address.toString();
  // Nearest first: the socket's own is always one.
  const known = request.ips?.map(addressOf).findLast((hop) => hop !== null);
  return known?.toString() ?? request.ip;
}

/** Some proxies put the port behind it, and brackets around one of IPv6. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const match = WITH_PORT.exec(text);
  const bare = match?.[1] ?? match?.[2] ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}
