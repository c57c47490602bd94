import { expect, it } from "vitest";
import { hostsOf, ofFirstHost } from "./database-hosts.ts";

it.each([
  ["postgres://u:p@a:1,b:2/db", ["a:1", "b:2"], "postgres://u:p@a:1/db"],
  ["postgresql://a,b/db?x=c,d", ["a:5432", "b:5432"], "postgresql://a/db?x=c,d"],
  ["postgres://u:p,q@a:1,[::1]:2", ["a:1", "::1:2"], "postgres://u:p,q@a:1"],
  ["postgres://u:p@a:1/db", ["a:1"], "postgres://u:p@a:1/db"],
  ["https://a,b/", [], "https://a,b/"],
])("%s names %j", (url, hosts, first) => {
  expect(hostsOf(url).map(({ name, port }) => `${name}:${port}`)).toEqual(hosts);
  expect(ofFirstHost(url)).toBe(first);
});
