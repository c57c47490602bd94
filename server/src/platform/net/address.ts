/**
 * Which IP addresses lie in the public internet, after IANA's registries of special-purpose
 * addresses (RFC 6890) and what clouds serve their credentials from. IPv4 is public unless a range
 * says otherwise; IPv6 is public only within 2000::/3, less its special blocks, and where an IPv4
 * address is embedded it is that address that counts.
 */

import ipaddr from "ipaddr.js";

/** What an address is, if not public. */
export type AddressClass =
  | "public"
  | "loopback"
  | "private"
  | "link-local"
  | "carrier-nat"
  | "multicast"
  | "unspecified"
  | "documentation"
  | "reserved"
  | "metadata";

type Range = readonly [AddressClass, string];

/** Where clouds hand out credentials and settings of their machines. */
const METADATA = [
  "169.254.169.254", // AWS, Google, Azure, DigitalOcean, Oracle, OpenStack
  "169.254.170.2", // AWS ECS
  "169.254.170.23", // AWS EKS
  "168.63.129.16", // Azure's host
  "100.100.100.200", // Alibaba
  "192.0.0.192", // Oracle
  "fd00:ec2::254", // AWS
  "fd00:ec2::23", // AWS EKS
  "fd20:ce::254", // Google
].map((text) => ipaddr.parse(text).toNormalizedString());

const RANGES_4: readonly Range[] = [
  ["unspecified", "0.0.0.0/8"],
  ["private", "10.0.0.0/8"],
  ["carrier-nat", "100.64.0.0/10"],
  ["loopback", "127.0.0.0/8"],
  ["link-local", "169.254.0.0/16"],
  ["private", "172.16.0.0/12"],
  ["reserved", "192.0.0.0/24"],
  ["documentation", "192.0.2.0/24"],
  ["reserved", "192.88.99.0/24"],
  ["private", "192.168.0.0/16"],
  ["reserved", "198.18.0.0/15"],
  ["documentation", "198.51.100.0/24"],
  ["documentation", "203.0.113.0/24"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "240.0.0.0/4"],
];

const RANGES_6: readonly Range[] = [
  ["unspecified", "::/128"],
  ["loopback", "::1/128"],
  ["private", "fc00::/7"],
  ["link-local", "fe80::/10"],
  ["private", "fec0::/10"],
  ["multicast", "ff00::/8"],
  ["documentation", "2001:db8::/32"],
  ["documentation", "3fff::/20"],
  // Teredo, ORCHID, benchmarks and the rest of the protocols' own block.
  ["reserved", "2001::/23"],
  // 6to4: its relays are gone, and it embeds any IPv4 address.
  ["reserved", "2002::/16"],
];

const parsed = (ranges: readonly Range[]) =>
  ranges.map(([kind, range]) => ({ kind, cidr: ipaddr.parseCIDR(range) }));
const parsed4 = parsed(RANGES_4);
const parsed6 = parsed(RANGES_6);
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
const IPV4_MAPPED = ipaddr.parseCIDR("::ffff:0:0/96");
/** RFC 6052's well-known prefix: what DNS64 answers with where only IPv6 is spoken. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/** @param text an IPv4 address in four decimal parts, or an IPv6 address without brackets; anything else is `reserved` */
export function classifyAddress(text: string): AddressClass {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return classify(ipaddr.IPv4.parse(text));
  // The URL parser writes IPv6 in hexadecimal alone; of mixed forms ipaddr.js reads `::1.2.3.4` amiss.
  const hex = URL.parse(`http://[${text.replace(/%.*/, "")}]/`)?.hostname.slice(1, -1);
  return hex === undefined ? "reserved" : classify(ipaddr.IPv6.parse(hex));
}

function classify(address: ipaddr.IPv4 | ipaddr.IPv6): AddressClass {
  if (METADATA.includes(address.toNormalizedString())) return "metadata";
  if (address instanceof ipaddr.IPv4) {
    return parsed4.find(({ cidr }) => address.match(cidr))?.kind ?? "public";
  }
  if (address.match(IPV4_MAPPED) || address.match(NAT64)) {
    return classify(new ipaddr.IPv4(address.toByteArray().slice(12)));
  }
  const special = parsed6.find(({ cidr }) => address.match(cidr));
  if (special !== undefined) return special.kind;
  return address.match(GLOBAL_UNICAST) ? "public" : "reserved";
}
