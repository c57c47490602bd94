/** How many rows and bytes an answer holds. */

import { StatementError } from "./failure.ts";

export interface RowLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** An answer without any row would not say why it has none. */
export const firstRowTooLong = ({ maxBytes }: RowLimits): StatementError =>
  new StatementError(
    "resources",
    `The first row of the result is longer than the ${maxBytes} bytes that an answer holds: select fewer or shorter values, or export the rows as a file`,
  );
