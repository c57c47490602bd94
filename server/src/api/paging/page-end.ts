/** Pages of lists that are ordered by creation, newest first. */

import { z } from "zod";
import type { Services } from "../services.ts";
import { PageTokens } from "./page-token.ts";

/** Where a page ended: its last row. */
export interface PageEnd {
  /** ISO 8601, to the millisecond. */
  readonly createdAt: string;
  readonly id: string;
}

const cursor = z.tuple([z.iso.datetime(), z.uuid()]);

export class CreationPages {
  readonly #tokens: PageTokens<typeof cursor>;

  /** @param list names the list, e.g. `training_jobs` */
  constructor(services: Services, list: string) {
    this.#tokens = new PageTokens(services.secret.derive("page-tokens"), list, cursor);
  }

  /** @param filter what the list was asked with besides its page, the organization first */
  read(filter: readonly unknown[], token: string | undefined): PageEnd | null {
    const end = this.#tokens.decode(filter, token);
    return end ? { createdAt: end[0], id: end[1] } : null;
  }

  write(
    filter: readonly unknown[],
    last: { readonly id: string; readonly created_at: Date },
  ): string {
    return this.#tokens.encode(filter, [last.created_at.toISOString(), last.id]);
  }
}
