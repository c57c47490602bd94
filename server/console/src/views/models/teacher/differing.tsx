/** The rows where a student and its teacher lie furthest apart, with what stands in them. */

import { figure, shortened } from "@distillery/engine/charts";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { DataTable } from "../../../ui/listing.tsx";
import { Card } from "../../../ui/page.tsx";
import { Text } from "../../../ui/text.tsx";
import type { RunReport, TrainedModel } from "../queries.ts";
import type { Apart } from "./fidelity.ts";

/** Columns of the row, those that matter most. */
const COLUMNS = 5;

interface DifferingProps {
  readonly model: TrainedModel;
  readonly report: RunReport;
  readonly apart: readonly Apart[];
}

export function Differing({ model, report, apart }: DifferingProps) {
  const isRows = !/^(forecast|sequence)/.test(report.run.task);
  const { data: cells = [] } = useQuery({
    queryKey: ["dataset-rows-of", model.id],
    queryFn: () => rowsAt(model.dataset_id, apart),
    enabled: isRows && apart.length > 0 && model.dataset?.deleted_at === null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (apart.length === 0) return null;
  const columns = report.importance.gain.slice(0, COLUMNS).map(({ column }) => column);
  return (
    <Card title="Where they differ most">
      <p className="note">
        {isRows ? "Rows" : "Sequences"} of the data, the furthest apart first, each predicted by a
        student that had not learned from it.
        {cells.length > 0 && ` Beside them the columns that the student relies on most.`}
      </p>
      <DataTable
        caption="Where student and teacher differ most"
        items={apart.map((each, place) => ({ ...each, cells: cells[place] ?? null }))}
        keyOf={({ row }) => String(row)}
        columns={[
          { head: isRows ? "Row" : "Sequence", cell: ({ row }) => String(row + 1), isNumber: true },
          { head: "Truth", cell: ({ truth }) => <Text of={truth} most={40} /> },
          { head: "Student", cell: ({ student }) => <Text of={student} most={40} /> },
          { head: "Teacher", cell: ({ teacher }) => <Text of={teacher} most={40} /> },
          ...(cells.length === 0
            ? []
            : columns.map((column) => ({
                head: shortened(column, 24),
                cell: (each: { readonly cells: ReadonlyMap<string, unknown> | null }) => (
                  <Text of={written(each.cells?.get(column))} most={40} />
                ),
              }))),
        ]}
      />
    </Card>
  );
}

function written(cell: unknown): string {
  if (cell === null || cell === undefined) return "–";
  return typeof cell === "number" ? figure(cell) : String(cell);
}

/** Each by its columns, in the order of what was asked for. */
async function rowsAt(
  datasetId: string,
  apart: readonly Apart[],
): Promise<ReadonlyMap<string, unknown>[]> {
  return Promise.all(
    apart.map(async ({ row }) => {
      const asked = { dataset_id: datasetId, offset: row, limit: 1 };
      const { columns, rows } = await client.datasets.rows.query(asked);
      return new Map(columns.map((name, place) => [name, rows[0]?.[place]]));
    }),
  );
}
