/**
 * Lists: `limit` and an opaque `page_token` (`pageSize` and `pageToken` in lowerCamelCase) that says
 * where the last page ended. A token is signed and bound to its list, so that nobody reads a cursor
 * of one list into another or makes one up.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { UnprocessableError } from "../../platform/input/problem.ts";

const PAGE_LIMIT_DEFAULT = 100;
const PAGE_LIMIT_MAXIMUM = 500;

/** The query members of a snake_case list; spread them into the list's own query object. */
export const pageQuery = {
  limit: z.int().min(1).max(PAGE_LIMIT_MAXIMUM).default(PAGE_LIMIT_DEFAULT).meta({
    description: "The maximum number of entries on a page.",
  }),
  page_token: z.string().optional().meta({
    description: "`next_page_token` of the previous page; absent = the first page.",
  }),
};

/** The member of every list's answer: null on the last page. */
export const nextPageToken = z.string().nullable().meta({
  description: "Send it as page_token to read on; null on the last page.",
});

/** The query members of a list in lowerCamelCase; spread them into the list's own query object. */
export const camelPageQuery = {
  pageSize: z.int().min(1).max(1000).default(PAGE_LIMIT_DEFAULT).meta({
    description: "The maximum number of entries on a page.",
  }),
  pageToken: z.string().optional().meta({
    description: "`nextPageToken` of the previous page; absent or empty = the first page.",
  }),
};

/** The member of such a list's answer: empty on the last page, as ProtoJSON's defaults are. */
export const camelNextPageToken = z.string().meta({
  description: "Send it as pageToken to read on; empty on the last page.",
});

const MAC_BYTES = 16;

/** Makes and reads the tokens of one list: `list` names it, its organization and its filters. */
export class PageTokens<Cursor extends z.ZodType> {
  readonly #secret: Uint8Array | string;
  readonly #list: string;
  readonly #cursor: Cursor;
  readonly #parameter: string;

  /**
   * @param secret key material, the same in every process of the service
   * @param list e.g. `training_jobs`
   * @param cursor what a token holds, e.g. `z.tuple([z.string(), z.string()])`
   * @param parameter the query member that carries it
   */
  constructor(secret: Uint8Array | string, list: string, cursor: Cursor, parameter = "page_token") {
    this.#secret = secret;
    this.#list = list;
    this.#cursor = cursor;
    this.#parameter = parameter;
  }

  /** @param filter what the list was asked with besides its page; another filter, another token. */
  encode(filter: readonly unknown[], cursor: z.input<Cursor>): string {
    const text = Buffer.from(JSON.stringify(cursor), "utf8");
    return Buffer.concat([this.#mac(filter, text), text]).toString("base64url");
  }

  /** Undefined for no token; 422 at the parameter for one that is not of this list. */
  decode(filter: readonly unknown[], token: string | undefined): z.output<Cursor> | undefined {
    if (token === undefined) return undefined;
    const bytes = Buffer.from(token, "base64url");
    const text = bytes.subarray(MAC_BYTES);
    const sound =
      bytes.toString("base64url") === token &&
      bytes.length > MAC_BYTES &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(filter, text));
    const parsed = sound ? this.#cursor.safeParse(JSON.parse(text.toString("utf8"))) : null;
    if (parsed?.success) return parsed.data;
    throw new UnprocessableError([
      {
        loc: ["query", this.#parameter],
        msg: `Value error, not a ${this.#parameter} of this list with these filters`,
        type: "value_error",
      },
    ]);
  }

  #mac(filter: readonly unknown[], text: Uint8Array): Buffer {
    return createHmac("sha256", this.#secret)
      .update(JSON.stringify(["page-token", this.#list, ...filter]))
      .update("\n")
      .update(text)
      .digest()
      .subarray(0, MAC_BYTES);
  }
}

/**
 * Cuts one page from rows of which one more than `limit` was asked for: the entries, and the
 * token of the next page or null.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  tokenAfter: (last: Row) => string,
): { entries: Row[]; next_page_token: string | null } {
  const entries = rows.slice(0, limit);
  const more = rows.length > limit && entries.length > 0;
  return { entries, next_page_token: more ? tokenAfter(entries.at(-1)!) : null };
}
