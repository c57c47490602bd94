/** A request whose predictions are logged, as the loop that serves requests keeps it until it is written. */

/** Rows of one request that are logged; of more, so many that lie evenly apart. */
export const MOST_LOGGED_ROWS = 1_000;

export interface LoggedRequest {
  /** That the caller was given. */
  readonly predictionId: string;
  /** The caller's own, where it sent one. */
  readonly requestId: string | null;
  readonly modelId: string;
  /** When it was answered, milliseconds since 1970. */
  readonly time: number;
  readonly ms: number;
  /** Of intervals and sets, where the request asked for one. */
  readonly coverage: number | null;
  /** JSON of the rows, as a request has them. */
  readonly rows: Uint8Array;
  /** JSON with the member `predictions`, one a row. */
  readonly answer: Uint8Array;
}

/** Which of so many rows of a request are logged, ascending. */
export const loggedRows = (rows: number): number[] =>
  Array.from({ length: Math.min(rows, MOST_LOGGED_ROWS) }, (_, place) => rowAt(place, rows));

export const isLoggedRow = (row: number, rows: number): boolean =>
  rows <= MOST_LOGGED_ROWS
    ? row < rows
    : row < rows && rowAt(Math.ceil((row * MOST_LOGGED_ROWS) / rows), rows) === row;

const rowAt = (place: number, rows: number): number =>
  rows <= MOST_LOGGED_ROWS ? place : Math.floor((place * rows) / MOST_LOGGED_ROWS);
