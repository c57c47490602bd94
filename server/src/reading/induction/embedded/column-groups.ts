/**
 * Which columns of many documents' tables are one: those with the same header, and, of tables that
 * never stand in one document, those that take the same place among columns of the same kinds, as
 * where layouts or languages differ.
 */

import { statedValue } from "../candidates/stated-value.ts";
import type { ItemColumn, ItemRow, ItemTable } from "../locators/items.ts";
import { labelKey } from "../locators/label-key.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { columnMeaning, conceptsOf } from "../words/label-concepts.ts";

export interface SeenTable {
  readonly documentId: string;
  readonly table: ItemTable;
}

export interface SeenColumn extends SeenTable {
  readonly column: ItemColumn;
}

export interface ColumnGroup {
  /** Most documents first, and what is written for each. */
  readonly keys: readonly string[];
  readonly headers: readonly string[];
  readonly kind: ValueKind;
  readonly documents: number;
  readonly columns: readonly SeenColumn[];
}

const FEWEST_DOCUMENTS = 2;
const LEAST_SHARE = 0.3;
/** A row of so many documents is the form's; where most rows are, they are no items. */
const SHARED = 0.8;
const FEWEST_SHARED = 3;
const FEWEST_OF_PAIR = 4;
const MOST_SHARED = 0.5;
/** Of the entries, those that are of a kind. */
const MOSTLY = 0.8;

/** Kinds of which a column's entries are read; all else stays as it is written. */
const READ: readonly ValueKind[] = ["money", "number", "percent", "date", "quantity"];

/** Those that enough documents have, most documents first. */
export function groupColumns(
  seen: readonly SeenTable[],
  documents: number,
  conventions: Conventions,
): ColumnGroup[] {
  const nameOf = sharedNames(layoutsOf(seen, conventions));
  const byName = Map.groupBy(columnsOf(seen), ({ column }) => nameOf(column.key));
  const fewest = Math.max(FEWEST_DOCUMENTS, LEAST_SHARE * documents);
  return [...byName]
    .map(([, columns]) => groupOf(columns, conventions))
    .filter((group) => group.documents >= fewest)
    .sort((a, b) => b.documents - a.documents || (a.keys[0]! < b.keys[0]! ? -1 : 1));
}

function groupOf(columns: readonly SeenColumn[], conventions: Conventions): ColumnGroup {
  const keys = largestFirst(Map.groupBy(columns, ({ column }) => column.key));
  return {
    keys: keys.map(([key]) => key),
    headers: keys.map(([, [first]]) => first!.column.header),
    kind: kindOf(columns, conventions),
    documents: new Set(columns.map(({ documentId }) => documentId)).size,
    columns,
  };
}

/** Tables with the same headers. */
interface Layout {
  readonly keys: readonly string[];
  readonly kinds: readonly ValueKind[];
  readonly documents: ReadonlySet<string>;
}

function layoutsOf(seen: readonly SeenTable[], conventions: Conventions): Layout[] {
  const byHeader = Map.groupBy(seen, ({ table }) => table.columns.map(({ key }) => key).join("\n"));
  return largestFirst(byHeader).map(([, tables]) => {
    const columns = columnsOf(tables);
    const keys = tables[0]!.table.columns.map(({ key }) => key);
    return {
      keys,
      kinds: keys.map((key) =>
        kindOf(
          columns.filter(({ column }) => column.key === key),
          conventions,
        ),
      ),
      documents: new Set(tables.map(({ documentId }) => documentId)),
    };
  });
}

const columnsOf = (tables: readonly SeenTable[]): SeenColumn[] =>
  tables.flatMap(({ documentId, table }) =>
    table.columns.map((column) => ({ documentId, table, column })),
  );

const largestFirst = <T>(groups: ReadonlyMap<string, readonly T[]>): [string, readonly T[]][] =>
  [...groups].sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1));

/** By what each header is called in the most frequent layout that is like its own. */
function sharedNames(layouts: readonly Layout[]): (key: string) => string {
  const names = new Map<string, string>();
  const nameByMeaning = new Map<string, string>();
  const leaders: Layout[] = [];
  for (const layout of layouts) {
    const like = leaders.find(
      (leader) =>
        areAlike(leader, layout) &&
        layout.keys.every((key, index) => {
          const known = names.get(key);
          return known === undefined || known === names.get(leader.keys[index]!);
        }),
    );
    for (const [index, key] of layout.keys.entries()) {
      if (names.has(key)) continue;
      const meaning = columnMeaning(key);
      const meant = nameByMeaning.get(meaning) ?? key;
      const name = like === undefined ? meant : names.get(like.keys[index]!)!;
      names.set(key, name);
      if (!nameByMeaning.has(meaning)) nameByMeaning.set(meaning, name);
    }
    if (like === undefined) leaders.push(layout);
  }
  return (key) => names.get(key) ?? key;
}

function areAlike(a: Layout, b: Layout): boolean {
  return (
    a.kinds.length === b.kinds.length &&
    a.kinds.every((kind, index) => kind === b.kinds[index]) &&
    [...b.documents].every((document) => !a.documents.has(document))
  );
}

function kindOf(columns: readonly SeenColumn[], conventions: Conventions): ValueKind {
  const kinds = columns.flatMap(({ table, column }) =>
    table.rows.flatMap((row) => {
      const text = row.get(column.column)?.text;
      return text === undefined ? [] : (statedValue(text, conventions)?.kind ?? "text");
    }),
  );
  const share = (...of: readonly ValueKind[]): number =>
    kinds.filter((kind) => of.includes(kind)).length / kinds.length;
  const one = READ.find((kind) => share(kind) >= MOSTLY);
  return one ?? (share("money", "number") >= MOSTLY ? "money" : "text");
}

/** Whether there are mostly several rows, and other ones in each document, or each of one header. */
export function areItems({ columns, documents }: ColumnGroup): boolean {
  const several = columns.filter(({ table }) => table.rows.length > 1);
  if (several.length * 2 < columns.length) return false;
  const layouts = Map.groupBy(columns, ({ table }) =>
    table.columns.map(({ key }) => key).join("\n"),
  );
  const isShared = sharedBy(columns, documents);
  const [shared, all] = [...layouts.values()].reduce(
    ([sharedSoFar, allSoFar], own): [number, number] => {
      // What is bought again and again is no form's.
      const { columns: titles } = own[0]!.table;
      const isOwn =
        titles.some(isOfGoods) && !titles.some(isOfTests)
          ? () => false
          : sharedBy(own, new Set(own.map(({ documentId }) => documentId)).size);
      const names = own.flatMap(({ table }) => table.rows.map(rowName));
      const ofForm = names.filter((name) => isShared(name) || isOwn(name)).length;
      return [sharedSoFar + ofForm, allSoFar + names.length];
    },
    [0, 0],
  );
  return shared <= MOST_SHARED * all;
}

const OF_GOODS: ReadonlySet<string> = new Set(["quantity", "price"]);
const isOfGoods = ({ key }: ItemColumn): boolean =>
  conceptsOf(key).some((concept) => OF_GOODS.has(concept));

/** Beside results and their ranges, `Units` are what these are measured in. */
const OF_TESTS: ReadonlySet<string> = new Set(["result", "reference_range"]);
const isOfTests = ({ key }: ItemColumn): boolean =>
  conceptsOf(key).some((concept) => OF_TESTS.has(concept));

/** Tells the names of rows that most of the documents have; of two documents, where all rows are. */
function sharedBy(columns: readonly SeenColumn[], documents: number): (name: string) => boolean {
  const owners = new Map<string, Set<string>>();
  for (const { documentId, table } of columns) {
    for (const name of table.rows.map(rowName)) {
      owners.set(name, (owners.get(name) ?? new Set()).add(documentId));
    }
  }
  const isPair = documents === 2 && owners.size >= FEWEST_OF_PAIR;
  if (isPair && [...owners.values()].every(({ size }) => size === documents)) return () => true;
  const most = Math.max(FEWEST_SHARED, SHARED * documents);
  return (name) => owners.get(name)!.size >= most;
}

/** What a row is called: its first cell that has words. */
function rowName(row: ItemRow): string {
  const texts = [...row.values()].map(({ text }) => text);
  return labelKey(texts.find((text) => /\p{L}{2}/u.test(text)) ?? texts[0]!);
}
