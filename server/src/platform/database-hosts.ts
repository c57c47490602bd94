/** The hosts of a database's URL, of which there may be several, as libpq has them: `postgres://a:5432,b:5433/database`. */

import process from "node:process";

export interface Host {
  readonly name: string;
  readonly port: number;
}

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)/;
const PLACE = /^(\[[^\]]*\]|[^:]+)(?::(\d{1,5}))?$/;
const DEFAULT_PORT = 5432;

/** In their order; none where the URL is no such or names a folder. */
export function hostsOf(url: string): readonly Host[] {
  const places = AUTHORITY.exec(url)?.[2]?.split(",") ?? [];
  return places.flatMap((place) => {
    const [, name, port] = PLACE.exec(place) ?? [];
    if (name === undefined) return [];
    return [{ name: name.replace(/^\[(.*)\]$/, "$1"), port: Number(port ?? DEFAULT_PORT) }];
  });
}

/** The URL with one of its hosts alone, by its place, which can be parsed as one. */
export const ofHostAt = (url: string, at: number): string =>
  url.replace(AUTHORITY, (_, start: string, places: string) => start + places.split(",")[at]);

export const ofFirstHost = (url: string): string => ofHostAt(url, 0);

/** What the service can be asked to look for: it writes. */
export const WRITABLE_ATTRS = ["read-write", "primary"] as const;
export type WritableAttrs = (typeof WRITABLE_ATTRS)[number];
/** All that a URL may ask for. */
export const TAKEN_ATTRS: readonly string[] = ["any", ...WRITABLE_ATTRS];
/** What libpq takes the same from, where the URL has none. */
export const ATTRS_VARIABLE = "PGTARGETSESSIONATTRS";

const ATTRS = /([?&])target_session_attrs=([^&#]*)&?/;

/** Undefined where the URL names none. */
export const targetAttrs = (url: string): string | undefined => ATTRS.exec(url)?.[2];

export const withoutAttrs = (url: string): string =>
  url.replace(ATTRS, "$1").replace(/[?&](?=#|$)/, "");

/** A URL that names none with what is asked for. */
export const withAttrs = (url: string, attrs: string): string =>
  url.replace(/(?=#|$)/, `${url.includes("?") ? "&" : "?"}target_session_attrs=${attrs}`);

/**
 * For the start of a process, whose configuration has been read: the driver `postgres` takes the variable whatever the
 * options of a client say. `any` of it is none that it knows, and of hosts in no such state it would try one after the
 * other without end; and it is not meant for the warehouses of callers.
 */
export function dropAttrsVariable(): void {
  delete process.env[ATTRS_VARIABLE];
}
