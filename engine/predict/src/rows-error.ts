/** Rows that are not the model's. */

/** What is wrong at one place of the rows. */
export interface RowFault {
  /** As in a 422 of the service, less its `body`: `["instances", 3, "age"]`, rows counted from 0. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The rows are not the model's: what the service answers with 422. */
export class RowsError extends Error {
  override readonly name = "RowsError";
  readonly detail: readonly RowFault[];

  constructor(detail: readonly RowFault[], options: { readonly cause?: unknown } = {}) {
    super(detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "), options);
    this.detail = detail;
  }
}
