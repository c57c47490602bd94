import { expect, test } from "vitest";
import { SecretKey } from "../../platform/secrets/secret-key.ts";
import { ReportLinks } from "./report-link.ts";

const services = { secret: new SecretKey("a secret that is long enough for a test") };
const job = {
  id: "01234567-89ab-4cde-8f01-23456789abcd",
  organization_id: "11111111-1111-4111-8111-111111111111",
};
const NOON = Date.parse("2030-05-06T12:00:00Z");
const DAY = 86_400_000;

function linkOf(uri: string): { expires: string; signature: string } {
  const { searchParams } = new URL(uri);
  return {
    expires: searchParams.get("expires") ?? "",
    signature: searchParams.get("signature") ?? "",
  };
}

test("a link holds for seven to eight days and is the same all day", () => {
  const at = (time: number) => new ReportLinks(services, () => time);
  const uri = at(NOON).uri(job, "http://127.0.0.1:8080");
  expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:8080\/v1\/reports\/01234567-.*\?expires=\d+&sig/);
  expect(at(NOON + DAY / 4).uri(job, "http://127.0.0.1:8080")).toBe(uri);
  expect(at(NOON + DAY).uri(job, "http://127.0.0.1:8080")).not.toBe(uri);
  const link = linkOf(uri);
  expect(at(NOON).verify(job, link)).toBe("valid");
  expect(at(NOON + 7 * DAY).verify(job, link)).toBe("valid");
  expect(at(NOON + 8 * DAY).verify(job, link)).toBe("expired");
});

test("a link is for its job, its organization, its expiry and its installation alone", () => {
  const links = new ReportLinks(services, () => NOON);
  const link = linkOf(links.uri(job, "http://host"));
  const other = "22222222-2222-4222-8222-222222222222";
  expect(links.verify({ ...job, id: other }, link)).toBe("forged");
  expect(links.verify({ ...job, organization_id: other }, link)).toBe("forged");
  const later = String(Number(link.expires) + 86_400);
  expect(links.verify(job, { ...link, expires: later })).toBe("forged");
  expect(links.verify(job, { ...link, signature: "" })).toBe("forged");
  expect(links.verify(job, { ...link, signature: `${link.signature}AAAA` })).toBe("forged");
  // 43 digits hold 258 bits of which the last two say nothing.
  const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const others = [...last].filter((digit) => digit !== link.signature.at(-1));
  for (const ending of [...others, `${link.signature.at(-1)}=`]) {
    const signature = link.signature.slice(0, -1) + ending;
    expect(links.verify(job, { ...link, signature })).toBe("forged");
  }
  const elsewhere = new ReportLinks(
    { secret: new SecretKey("another secret that is long enough") },
    () => NOON,
  );
  expect(elsewhere.verify(job, link)).toBe("forged");
});
