/** What texts environment variables take, and what is said of those that they do not. */

import ipaddr from "ipaddr.js";
import { z } from "zod";

export const integer = (minimum: number, maximum: number, message: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);

export const url = (protocols: readonly string[], message: string) =>
  z.string().refine((value) => {
    const parsed = URL.parse(value);
    return parsed !== null && protocols.includes(parsed.protocol);
  }, message);

export const flag = (message: string) =>
  z
    .enum(["0", "1", "true", "false"], message)
    .transform((value) => value === "1" || value === "true");

/** Comma-separated, blanks around the items dropped. */
export const list = (isItem: (item: string) => boolean, message: string) =>
  z
    .string()
    .transform((value) =>
      value
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== ""),
    )
    .refine((items) => items.every(isItem), message);

/** An address, or a network in CIDR notation. */
export const isNetwork = (text: string): boolean =>
  text.includes("/")
    ? ipaddr.isValidCIDR(text)
    : ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** As browsers send it: scheme, host and, unless it is the scheme's own, port. */
export const isOrigin = (text: string): boolean =>
  ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "") && URL.parse(text)?.origin === text;

/** Without credentials, query and fragment, which a link would repeat or swallow. */
export function isBaseUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) return false;
  return parsed.username === "" && parsed.password === "" && !/[?#]/.test(text);
}
