import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressClass, classifyAddress } from "./address.ts";
import { normalizeHost } from "./destination.ts";

describe("addresses", () => {
  test.each<[string, AddressClass]>([
    ["8.8.8.8", "public"],
    ["172.15.255.255", "public"],
    ["172.32.0.0", "public"],
    ["100.63.255.255", "public"],
    ["100.128.0.0", "public"],
    ["223.255.255.255", "public"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["10.255.255.255", "private"],
    ["172.16.0.0", "private"],
    ["172.31.255.255", "private"],
    ["192.168.0.1", "private"],
    ["100.64.0.1", "carrier-nat"],
    ["100.127.255.255", "carrier-nat"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.255", "loopback"],
    ["169.254.0.1", "link-local"],
    ["169.254.169.254", "metadata"],
    ["168.63.129.16", "metadata"],
    ["100.100.100.200", "metadata"],
    ["192.0.2.1", "documentation"],
    ["198.51.100.7", "documentation"],
    ["203.0.113.255", "documentation"],
    ["198.18.0.1", "reserved"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "reserved"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::127.0.0.1", "reserved"],
    ["2606:4700:4700::1111", "public"],
    ["2a00:1450:4001:81b::200e", "public"],
    ["fc00::1", "private"],
    ["fdff:ffff::1", "private"],
    ["fd00:ec2::254", "metadata"],
    ["fe80::1", "link-local"],
    ["fec0::1", "private"],
    ["ff02::1", "multicast"],
    ["2001:db8::1", "documentation"],
    ["3fff::1", "documentation"],
    ["2001::1", "reserved"],
    ["2002:7f00:1::", "reserved"],
    ["2002:808:808::", "reserved"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::ffff:169.254.169.254", "metadata"],
    ["::ffff:8.8.8.8", "public"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["64:ff9b::a00:1", "private"],
    ["64:ff9b::808:808", "public"],
    ["64:ff9b:1::808:808", "reserved"],
    ["100::1", "reserved"],
    ["4000::1", "reserved"],
    ["", "reserved"],
    ["localhost", "reserved"],
    ["127.1", "reserved"],
    ["0x7f.0.0.1", "reserved"],
    ["fe80::1%eth0", "link-local"],
  ])("%s is %s", (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  /** First and last address of each range that is not public, as numbers: the registry read anew. */
  const special: readonly (readonly [number, number])[] = [
    [0x00000000, 0x00ffffff],
    [0x0a000000, 0x0affffff],
    [0x64400000, 0x647fffff],
    [0x7f000000, 0x7fffffff],
    [0xa9fe0000, 0xa9feffff],
    [0xac100000, 0xac1fffff],
    [0xc0000000, 0xc00000ff],
    [0xc0000200, 0xc00002ff],
    [0xc0586300, 0xc05863ff],
    [0xc0a80000, 0xc0a8ffff],
    [0xc6120000, 0xc613ffff],
    [0xc6336400, 0xc63364ff],
    [0xcb007100, 0xcb0071ff],
    [0xe0000000, 0xffffffff],
    [0xa83f8110, 0xa83f8110],
  ];
  const isPublic = (value: number) => !special.some(([low, high]) => value >= low && value <= high);
  const dotted = (value: number) => [24, 16, 8, 0].map((by) => (value >>> by) & 255).join(".");
  const hex = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  /** Any address, and often one at an edge of a range. */
  const address4 = fc.oneof(
    fc.integer({ min: 0, max: 0xffffffff }),
    fc
      .tuple(fc.constantFrom(...special.flat()), fc.integer({ min: -1, max: 1 }))
      .map(([edge, by]) => Math.min(0xffffffff, Math.max(0, edge + by))),
  );

  test("IPv4 is public outside the special ranges, however it is embedded", () => {
    fc.assert(
      fc.property(address4, (value) => {
        const kind = classifyAddress(dotted(value));
        expect(kind === "public").toBe(isPublic(value));
        for (const prefix of ["::ffff:", "0:0:0:0:0:FFFF:", "64:ff9b::"]) {
          expect(classifyAddress(prefix + hex(value))).toBe(kind);
          expect(classifyAddress(prefix + dotted(value))).toBe(kind);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("every way in which a URL may write an IPv4 address is that address", () => {
    const part = (value: number) =>
      fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`);
    const forms = address4.chain((value) => {
      const bytes = [24, 16, 8, 0].map((by) => (value >>> by) & 255);
      const rest = (from: number) => Number(BigInt.asUintN(32 - 8 * from, BigInt(value >>> 0)));
      const written = fc
        .constantFrom(0, 1, 2, 3)
        .chain((count) =>
          fc
            .tuple(...bytes.slice(0, count).map(part), part(rest(count)))
            .map((parts) => parts.join(".")),
        );
      return written.map((text) => ({ text, value }));
    });
    fc.assert(
      fc.property(forms, fc.boolean(), ({ text, value }, dot) => {
        expect(normalizeHost(dot ? `${text}.` : text)).toBe(dotted(value));
      }),
      { numRuns: 500 },
    );
  });

  test("IPv6 is public nowhere but in global unicast and where it embeds IPv4", () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const kind = classifyAddress(groups.map((one) => one.toString(16)).join(":"));
        const [first = 0, second = 0] = groups;
        const unicast = first >= 0x2000 && first <= 0x3fff;
        const carved =
          (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
          first === 0x2002 ||
          (first === 0x3fff && second < 0x1000);
        expect(kind === "public").toBe(unicast && !carved);
      }),
      { numRuns: 500 },
    );
  });
});

describe("hosts", () => {
  test.each<[string, string | null]>([
    ["Example.COM", "example.com"],
    ["[::1]", "::1"],
    ["::1", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["127。0。0。1", "127.0.0.1"],
    ["ⓔxample.com", "example.com"],
    ["%31%32%37.1", "127.0.0.1"],
    ["", null],
    ["a b", null],
    ["a/b", null],
    ["user@host", null],
    ["host:80", null],
    ["host\\evil", null],
    ["fe80::1%eth0", null],
    ["1.2.3.256", null],
  ])("%s is read as %s", (host, expected) => {
    expect(normalizeHost(host)).toBe(expected);
  });
});
