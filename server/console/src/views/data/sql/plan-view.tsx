/** How a statement would run: what it reads of each table, and DuckDB's plan. */

import { DataTable } from "../../../ui/listing.tsx";
import { Card } from "../../../ui/page.tsx";
import { Text } from "../../../ui/text.tsx";

export interface QueryPlan {
  readonly plan: string;
  readonly scans: readonly {
    readonly table: string;
    readonly source: string;
    readonly columns: readonly string[];
    readonly filter: string | null;
    readonly limit: number | null;
    readonly partitions: { readonly read: number; readonly all: number };
  }[];
}

export function PlanView({ plan: { plan, scans } }: { readonly plan: QueryPlan }) {
  return (
    <Card title="Plan">
      {scans.length === 0 ? (
        <p>It reads no table.</p>
      ) : (
        <DataTable
          caption="What is read of each table"
          items={scans.map((scan, at) => ({ ...scan, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            { head: "Table", cell: ({ table }) => <Text of={table} /> },
            { head: "Columns", cell: ({ columns }) => <Text of={columns.join(", ")} /> },
            {
              head: "Filter at the source",
              cell: ({ filter }) => (filter === null ? "–" : <Text of={filter} />),
            },
            { head: "Limit", cell: ({ limit }) => limit ?? "–", isNumber: true },
            {
              head: "Partitions",
              cell: ({ partitions: { read, all } }) => `${read} of ${all}`,
              isNumber: true,
            },
          ]}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className="plan" tabIndex={0}>
        {plan}
      </pre>
    </Card>
  );
}
