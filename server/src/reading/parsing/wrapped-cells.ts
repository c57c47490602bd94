/**
 * Cells that are wrapped: what stands under some pieces of a row, at their left edges, and goes on with
 * them. A small letter, an ending such as `and`, or a column in which the next word had no room shows it;
 * an address under a name has none of these.
 */

/** A piece of a line, from where to where it stands, in points or in characters. */
export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export interface Measures {
  /** The width of a letter. */
  readonly letter: number;
  /** By how much the lines of one cell may begin apart. */
  readonly tolerance: number;
  /** Up to where lines reach. */
  readonly margin: number;
}

/** Lines of one cell; of more, it is a text of its own. */
export const MOST_WRAPPED = 6;

/** Letters between a column and the next: at least, and where a piece beside shows that the row goes on. */
const GAP = 1;
const WIDE_GAP = 3;
/** Of narrower cells none is known to be full. */
const FEWEST_LETTERS = 8;
/** Letters by which the rest of an account's number may begin elsewhere. */
const ACCOUNT_OFF = 3;

/** A list that is not done: `Gill, Townsend and`, `Börner GmbH &`. Titles such as `Ship to` are. */
const OPEN = /(?:&|\p{Ll}-|\s(?:and|or|und|oder|et|ou|y|o|e|en|i|lub|oraz))$/u;
/** The label of a form's box, behind its letter. */
const LETTERED = /^\p{L}[.)]?\s+\p{Lu}/u;
/** What begins an account's number, in groups of four, and what may end it. */
const ACCOUNT = /(?:^|\s)\p{Lu}{2}\d{2}(?: [\p{Lu}\d]{4}){2,7}$/u;
const REST_OF_ACCOUNT = /^(?:[\p{Lu}\d]{4} )*[\p{Lu}\d]{1,4}$/u;
const LABEL = /\p{L}\s?[:：](?:\s|$)/u;
const ENDED = /[.!?:;]["”’')\]]*$/u;

/**
 * For each piece of a line the index of the piece above that it goes on with; null where the line is no
 * rest of cells.
 *
 * @param first the first lines of the cells above, which tell what they begin with
 */
export function goesOnWith(
  above: readonly Piece[],
  below: readonly Piece[],
  first: readonly Piece[],
  measures: Measures,
): readonly number[] | null {
  if (above.length < 2 || below.length === 0 || below.length > above.length) return null;
  const { letter, tolerance, margin } = measures;
  const places: number[] = [];
  let isShown = false;
  let hasOpen = false;
  for (const piece of below) {
    const placeWithin = (most: number): number =>
      above.findIndex(({ from }) => Math.abs(from - piece.from) <= most);
    const own = placeWithin(tolerance);
    const isOff = own < 0 && REST_OF_ACCOUNT.test(piece.text);
    const place = isOff ? placeWithin(ACCOUNT_OFF * letter) : own;
    const cell = above[place];
    if (cell === undefined || places.includes(place) || LABEL.test(piece.text)) return null;
    const edge = above[place + 1]?.from ?? margin;
    if (place + 1 < above.length && piece.to > edge - letter) return null;
    const room = edge - cell.to - letter - widthOfWord(piece);
    const isFull = room < GAP * letter && cell.to - cell.from >= FEWEST_LETTERS * letter;
    const isOpen = OPEN.test(cell.text) || isAccount(cell, piece);
    const isRunning =
      /^\(?\p{Ll}/u.test(piece.text) &&
      !LETTERED.test(piece.text) &&
      !/^\p{Ll}/u.test(first[place]!.text) &&
      !ENDED.test(cell.text) &&
      (isFull || /\S\s+\S/u.test(cell.text));
    if (isOff && !isOpen) return null;
    // In columns that are wider than what stands in them, a full cell is one that goes on.
    const isFilled = isFull && place + 1 < above.length && areWide(above, letter);
    const isSure = isOpen || isRunning || (isFilled && !/\d/.test(piece.text));
    if (!isSure && (room >= WIDE_GAP * letter || /\d/.test(piece.text))) return null;
    isShown ||= isSure;
    hasOpen ||= isOpen;
    places.push(place);
  }
  // Under all cells it may be the next row, or the answers under a row of labels.
  return isShown && (below.length < above.length || hasOpen) ? places : null;
}

/** Text that was read optically parts all pieces by the same two spaces, and has no columns. */
const areWide = (pieces: readonly Piece[], letter: number): boolean =>
  pieces.some(({ to }, index) => (pieces[index + 1]?.from ?? to) - to >= WIDE_GAP * letter);

const isAccount = (cell: Piece, { text }: Piece): boolean =>
  ACCOUNT.test(cell.text) && REST_OF_ACCOUNT.test(text);

/** As wide as its letters are on average. */
function widthOfWord({ text, from, to }: Piece): number {
  const word = /^\S+/u.exec(text)?.[0] ?? "";
  return ((to - from) * word.length) / Math.max(1, text.length);
}

/** What is written on two lines as on one: a hyphen that parted a word is none of it. */
export function joinedText(above: string, below: string): string {
  const isParted = /\p{Ll}-$/u.test(above) && /^\p{Ll}/u.test(below);
  return isParted ? `${above.slice(0, -1)}${below}` : `${above} ${below}`;
}
