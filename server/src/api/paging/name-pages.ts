/** Pages of lists that are ordered by name, in the byte order of their names. */
import { z } from "zod";
import type { Services } from "../services.ts";
import { cutPage, PageTokens } from "./page-token.ts";

const cursor = z.string();

export interface NamePageRequest {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export class NamePages {
  readonly #tokens: PageTokens<typeof cursor>;

  /** @param list names the list, e.g. `catalogs` */
  constructor(services: Services, list: string) {
    const secret = services.secret.derive("page-tokens");
    this.#tokens = new PageTokens(secret, list, cursor, "pageToken");
  }

  /**
   * @param filter what the list was asked with besides its page, the organization first
   * @returns the name after which the page begins; empty for the first page
   */
  start(filter: readonly unknown[], { pageToken }: NamePageRequest): string {
    return this.#tokens.decode(filter, pageToken === "" ? undefined : pageToken) ?? "";
  }

  /** @param rows one more than the page holds, where there are more */
  cut<Row extends { readonly name: string }>(
    filter: readonly unknown[],
    { pageSize }: NamePageRequest,
    rows: readonly Row[],
  ): { readonly entries: readonly Row[]; readonly nextPageToken: string } {
    const page = cutPage(rows, pageSize, (last) => this.#tokens.encode(filter, last.name));
    return { entries: page.entries, nextPageToken: page.next_page_token ?? "" };
  }
}
