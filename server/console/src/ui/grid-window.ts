/**
 * Which part of a large grid is in view. Browsers bound the height of an element (Firefox at 17.9
 * million pixels), so that the scroll bar of a grid beyond that stands for more rows than its pixels
 * say: rows then pass faster, and every row can still be reached.
 */

/** Below every browser's bound. */
const MOST_PIXELS = 12_000_000;

/** Places of the rows, all of one height. */
export class RowScale {
  readonly rows: number;
  readonly rowHeight: number;
  /** Of what is scrolled, in pixels. */
  readonly height: number;
  readonly #whole: number;

  constructor(rows: number, rowHeight: number) {
    this.rows = rows;
    this.rowHeight = rowHeight;
    this.#whole = rows * rowHeight;
    this.height = Math.min(this.#whole, MOST_PIXELS);
  }

  /**
   * @param scrolled pixels from the top, as the browser counts them
   * @param view height of what is seen of the rows, in pixels
   * @returns rows that are seen, `to` exclusive, and where the first one's top lies in the view
   */
  seen(
    scrolled: number,
    view: number,
  ): { readonly from: number; readonly to: number; readonly top: number } {
    const place = scrolled * this.#factor(view);
    const from = clamp(Math.floor(place / this.rowHeight), 0, Math.max(0, this.rows - 1));
    const to = Math.min(this.rows, Math.ceil((place + view) / this.rowHeight));
    return { from, to, top: from * this.rowHeight - place };
  }

  /** The least scrolling that brings a row into view whole; `scrolled` where it is there. */
  scrolledTo(row: number, scrolled: number, view: number): number {
    const factor = this.#factor(view);
    const place = scrolled * factor;
    const top = row * this.rowHeight;
    if (top < place) return top / factor;
    const bottom = top + this.rowHeight - view;
    return bottom > place ? bottom / factor : scrolled;
  }

  /** Pixels of rows to a pixel of scrolling. */
  #factor(view: number): number {
    const [way, shown] = [this.#whole - view, this.height - view];
    return this.#whole === this.height || shown <= 0 ? 1 : way / shown;
  }
}

/** Places of columns, each of its own width. */
export class ColumnScale {
  /** Where each begins; one more than columns. */
  readonly #starts: Float64Array;

  /** @param widths in pixels */
  constructor(widths: readonly number[]) {
    this.#starts = new Float64Array(widths.length + 1);
    for (const [at, width] of widths.entries()) this.#starts[at + 1] = this.#starts[at]! + width;
  }

  get width(): number {
    return this.#starts.at(-1)!;
  }

  start(column: number): number {
    return this.#starts[column]!;
  }

  widthOf(column: number): number {
    return this.#starts[column + 1]! - this.#starts[column]!;
  }

  /** Columns that are seen, `to` exclusive. */
  seen(scrolled: number, view: number): { readonly from: number; readonly to: number } {
    return {
      from: this.#at(scrolled),
      to: Math.min(this.#starts.length - 1, this.#at(scrolled + view) + 1),
    };
  }

  scrolledTo(column: number, scrolled: number, view: number): number {
    const start = this.start(column);
    if (start < scrolled) return start;
    // Of a column wider than the view, its beginning.
    return Math.max(scrolled, Math.min(start, this.#starts[column + 1]! - view));
  }

  /** The column at a place, by halves. */
  #at(place: number): number {
    let [low, high] = [0, Math.max(0, this.#starts.length - 2)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

export const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, value));
