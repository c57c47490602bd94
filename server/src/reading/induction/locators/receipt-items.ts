/**
 * What was bought by a till receipt, whose lines have no header: a name and its price each, or a name
 * over its count and price. That they are items is shown by arithmetic: the prices add up to the
 * first sum below them, so that nothing else that ends in an amount is taken for one.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { ItemCell, ItemRow, ItemTable } from "./items.ts";

/** What such columns are called where nobody says it. */
const NAME = { column: 0, header: "Item", key: "item" };
const PRICE = { column: 1, header: "Price", key: "price" };
const COUNT = { column: 2, header: "Quantity", key: "quantity" };

const MOST_LINES = 400;
const MOST_ITEMS = 200;
/** Longer lines are none of a till's, and its patterns take the square of their length. */
const LONGEST_LINE = 200;
/** Amounts above the first item, such as a shop's in its heading. */
const MOST_STARTS = 6;
const CENT = 0.011;

/** An amount at a line's end, and the letter of its tax. */
const AMOUNT =
  /(?:^|\s|[€$£])(?:RM|EUR|USD|GBP|[€$£])?\s?([-−]?\d{1,3}(?:[.,' ]?\d{3})*[.,]\d{2}|[-−]?\.\d{2})\s?(?:€|EUR)?(?:\s+[A-Z*#]{1,2}\d?)?$/u;
const SUM =
  /(?:^|[^\p{L}])(?:sub\s*-?\s*total|s\/total|total|totale|totaal|totaux|summe|zwischensumme|gesamt\p{L}*|somme|suma|subtotal|importe|balance|amount due|to pay|zu zahlen|zahlbetrag|à payer|a pagar|da pagare|te betalen|jumlah|razem)(?![\p{L}])/iu;
/** Of a line with a count and a price alone, the name stands on the line above. */
const COUNTED = /^[\s\d.,xX×@*#€$£RM()/-]*(?:pcs?|stk|st|kg|ea|un)?[\s\d.,xX×@*€$£RM/-]*$/iu;

/** A count and what one costs, under or over an item's own line: `3 @ 7.62`. */
const OF_ONE =
  /^\s*(\d{1,4})(?:\s?(?:pcs?|stk|st|ea|un))?\s?[xX×@*]\s*(?:RM|EUR|USD|GBP|\p{Sc})?\s?$/iu;
/** Before each item of a receipt, how many were bought: `2 Bread`, `1x Milk`. */
const COUNT_BEFORE = /^\s*(\d{1,2})\s?[xX×*]?\s+(?=\p{L}{2})/u;

/** What stands between the items and their sum, or over them, and was not bought. */
const NOTHING_BOUGHT =
  /^\W*(?:cash|paid|payment|amount|change|card|visa|mastercard|tax|gst|vat|mwst|tva|iva|btw|discount|rabatt|round\p{L}*|tip|service charge|qty|deposit)(?![\p{L}])/iu;
const HEADER_WORDS =
  /(?<!\p{L})(?:items?|qty|quantity|price|amount|tax|disc|description|total|rm|menge|preis|betrag|prix|montant|precio)(?!\p{L})/giu;
const FEWEST_HEADER_WORDS = 2;
/** `O.C. WHITE  2.13  5  2`: counts and prices behind a name; `Eggs 12` is one. */
const FIGURES_BEHIND =
  /(?:\s+(?:[\d.,]+|[xX×@*]))*\s+(?:[\d.,]+\s*[xX×@*]?|[xX×@*]\s*[\d.,]+)\s*$/u;

interface Priced {
  readonly line: PlacedLine;
  readonly amount: number;
  /** Of the line's text, where the amount stands. */
  readonly from: number;
  readonly to: number;
  readonly isSum: boolean;
}

/** Null where no lines add up to a sum. */
export function receiptItemsOf({ lines }: DocumentText): ItemTable | null {
  const read = lines.slice(0, MOST_LINES).map(pricedOf);
  let starts = 0;
  for (const [from, priced] of read.entries()) {
    if (priced === null) continue;
    // What stands below a sum is how it was paid and taxed.
    if (priced.isSum) return null;
    if (starts === MOST_STARTS) return null;
    starts += 1;
    const rows = itemsFrom(lines, read, from);
    if (rows !== null) return withCounts(rows);
  }
  return null;
}

function pricedOf(line: PlacedLine): Priced | null {
  if (line.spans[0]!.cell?.isHeader === true || line.text.length > LONGEST_LINE) return null;
  const match = AMOUNT.exec(line.text);
  if (match === null) return null;
  const [whole, written] = match as unknown as readonly [string, string];
  const from = match.index + whole.indexOf(written);
  const to = from + written.length;
  const digits = written.replace(/[^\d.,-]/gu, "").replace(/[.,](?=\d{3})/gu, "");
  const amount = Number(digits.replace(",", ".")) * (written.startsWith("−") ? -1 : 1);
  if (!Number.isFinite(amount)) return null;
  return { line, amount, from, to, isSum: SUM.test(line.text.slice(0, from)) };
}

/** The rows from a line on, down to the sum that they add up to. */
function itemsFrom(
  lines: readonly PlacedLine[],
  read: readonly (Priced | null)[],
  from: number,
): ItemRow[] | null {
  const rows: ItemRow[] = [];
  let sum = 0;
  for (let index = from; index < read.length && rows.length < MOST_ITEMS; index += 1) {
    const priced = read[index];
    if (priced === null || priced === undefined) continue;
    if (priced.isSum) {
      const isTheirs = sum > 0 && Math.abs(priced.amount - sum) < CENT;
      return rows.length > 0 && isTheirs ? rows : null;
    }
    if (isOfOne(priced, read, index)) continue;
    sum += priced.amount;
    if (priced.amount < 0) continue;
    const name = nameOf(priced, read[index - 1] == null ? lines[index - 1] : undefined);
    if (name === null) return null;
    rows.push(
      new Map([
        [NAME.column, name],
        [PRICE.column, cellOf(priced.line, priced.from, priced.to)],
      ]),
    );
  }
  return null;
}

/** Whether the amount is what one costs of the item on the line above or below. */
function isOfOne(
  { line, amount, from }: Priced,
  read: readonly (Priced | null)[],
  index: number,
): boolean {
  const count = OF_ONE.exec(line.text.slice(0, from))?.[1];
  if (count === undefined) return false;
  const whole = Number(count) * amount;
  return [read[index - 1], read[index + 1]].some(
    (other) => other != null && !other.isSum && Math.abs(other.amount - whole) < CENT,
  );
}

/** Where each item has a count before it, the counts as a column of their own. */
function withCounts(rows: readonly ItemRow[]): ItemTable {
  const counted = rows.map((row) => COUNT_BEFORE.exec(row.get(NAME.column)!.text));
  if (!counted.every((match) => match !== null)) return { columns: [NAME, PRICE], rows };
  return {
    columns: [NAME, PRICE, COUNT],
    rows: rows.map((row, index) => {
      const [whole, count] = counted[index] as unknown as readonly [string, string];
      const cell = row.get(NAME.column)!;
      const start = cell.start + whole.length;
      const end = cell.start + whole.indexOf(count) + count.length;
      return new Map([
        [NAME.column, { ...cell, text: cell.text.slice(whole.length), start }],
        [PRICE.column, row.get(PRICE.column)!],
        [COUNT.column, { ...cell, text: count, end }],
      ]);
    }),
  };
}

/** Whether a row is called as what stands below items is: a sum, a tax, a payment. */
export const isNoItem = (name: string): boolean => SUM.test(name) || NOTHING_BOUGHT.test(name);

function nameOf({ line, from }: Priced, above: PlacedLine | undefined): ItemCell | null {
  const before = line.text.slice(0, from).replace(/(?:RM|EUR|USD|GBP|[€$£])?\s*$/u, "");
  const isCounted = COUNTED.test(before);
  const named = isCounted ? above : line;
  if (named === undefined || named.text.length > LONGEST_LINE) return null;
  const text = isCounted ? named.text : before.trimEnd();
  if (!isName(text)) return null;
  const begin = text.length - text.trimStart().length;
  const figures = FIGURES_BEHIND.exec(text);
  const end = figures === null || isSingle(figures[0]) ? text.length : figures.index;
  return cellOf(named, begin, end);
}

function isName(text: string): boolean {
  if (!/^[^(]*\p{L}{2}/u.test(text) || NOTHING_BOUGHT.test(text)) return false;
  return [...text.matchAll(HEADER_WORDS)].length < FEWEST_HEADER_WORDS;
}

/** One number behind a name is more often of the name. */
function isSingle(figures: string): boolean {
  return /^\s*[\d.,]+\s*$/u.test(figures) && !/\d[.,]\d{2}\s*$/u.test(figures);
}

function cellOf(line: PlacedLine, from: number, to: number): ItemCell {
  const text = line.text.slice(from, to).replace(/\s+/gu, " ");
  return { text, start: line.start + from, end: line.start + to, page: line.page };
}
