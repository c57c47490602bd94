/**
 * Columns of tables whose rows are other items in each document, as proposals: what is in one is a
 * list for each document, and how many rows there are is a number. Rows that documents share, such as
 * a report's tests, are fields of their own (`candidates/table.ts`).
 */

import type { Finding, Proposal, SampleDocument } from "../inducer.ts";
import { locateColumn } from "../locators/column.ts";
import { itemTablesOf } from "../locators/item-table.ts";
import type { ItemTable } from "../locators/items.ts";
import { type Locator, locatorSchema } from "../locators/locator.ts";
import { unitOfLabel } from "../values/label-unit.ts";
import type { Conventions } from "../values/value.ts";
import { areItems, type ColumnGroup, groupColumns, type SeenTable } from "./column-groups.ts";

const MOST_COLUMNS = 12;
/** Columns of its table that a locator keeps. */
const MOST_BESIDE = 20;
const TRUST = 0.9;

export interface ItemColumns {
  readonly proposals: readonly Proposal[];
  /** Whether a finding stands among items, so that what stands beside it is no label. */
  isAmongItems(documentId: string, finding: Finding): boolean;
}

export function proposeColumns(
  documents: readonly SampleDocument[],
  conventions: Conventions,
): ItemColumns {
  const seen = documents.flatMap(({ id, content }) =>
    itemTablesOf(content).map((table): SeenTable => ({ documentId: id, table })),
  );
  const groups = groupColumns(seen, documents.length, conventions).filter(areItems);
  const telling = groups.filter(isTelling).slice(0, MOST_COLUMNS);
  const named = telling.find(({ kind }) => kind === "text") ?? telling[0];
  const proposals = telling.map((group) => proposalOf(group, "list", documents, conventions));
  if (named !== undefined) proposals.push(proposalOf(named, "count", documents, conventions));
  const tables = new Map<string, Set<ItemTable>>();
  for (const { documentId, table } of groups.flatMap(({ columns }) => columns)) {
    tables.set(documentId, (tables.get(documentId) ?? new Set()).add(table));
  }
  return {
    proposals,
    isAmongItems: (documentId, { start, end }) =>
      [...(tables.get(documentId) ?? [])].some(({ rows }) =>
        rows.some((row) => {
          const cells = [...row.values()];
          return cells[0]!.start <= start && end <= cells.at(-1)!.end;
        }),
      ),
  };
}

/** Neither the numbers of the rows nor the same in all. */
function isTelling({ columns }: ColumnGroup): boolean {
  const lists = columns.map(({ table, column }) =>
    table.rows.map((row) => row.get(column.column)?.text ?? ""),
  );
  const areNumbers = lists.every((texts) =>
    texts.every((text, index) => Number.parseInt(text, 10) === index + 1),
  );
  return !areNumbers && new Set(lists.flat()).size > 1;
}

function proposalOf(
  { keys, headers, columns, kind }: ColumnGroup,
  gives: "list" | "count",
  documents: readonly SampleDocument[],
  conventions: Conventions,
): Proposal {
  const header = headers[0]!;
  const beside = columns.flatMap(({ table }) => table.columns.map((column) => column.key));
  const locator: Locator = locatorSchema.parse({
    kind: "column",
    headers: keys,
    beside: [...new Set(beside)].filter((key) => !keys.includes(key)).slice(0, MOST_BESIDE),
    entries: kind,
    gives,
  });
  const isList = gives === "list";
  return {
    origin: "table",
    name: `${header} ${gives}`,
    labels: headers,
    kind: isList ? "text" : "number",
    unit: isList ? (unitOfLabel(header)?.unit ?? null) : null,
    enum: [],
    multiple: isList,
    question: isList
      ? `What are the entries of the column “${header}”, row by row?`
      : `How many rows does the table with the column “${header}” have?`,
    serves: [],
    weight: 0,
    locators: [{ locator, trust: TRUST }],
    agreement: null,
    sightings: documents.flatMap(({ id, content }) => {
      if (locator.kind !== "column") return [];
      const findings = locateColumn(content, locator, conventions);
      return findings.map((finding) => ({ documentId: id, finding }));
    }),
  };
}
