/** The rows of a dataset, page by page. */

import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Grid } from "../../../ui/grid.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { count } from "../../../ui/numbers.ts";
import { ProblemNote } from "../../../ui/problem.tsx";

interface DatasetRowsProps {
  readonly id: string;
  /** Of the dataset. */
  readonly rows: number;
  readonly columns: readonly {
    readonly name: string;
    readonly datatype: { readonly kind: string };
  }[];
}

/** The service gives fewer of wide tables. */
const PAGE_ROWS = 1_000;

export function DatasetRows({ id, rows, columns }: DatasetRowsProps) {
  const [query, setQuery] = useSearchParams();
  const asked = Number.parseInt(query.get("from") ?? "1", 10);
  const from = Number.isInteger(asked) && asked >= 1 && asked <= rows ? asked - 1 : 0;
  const { data, error, refetch } = useQuery({
    queryKey: ["datasets", id, "rows", from],
    queryFn: ({ signal }) =>
      client.datasets.rows.query({ dataset_id: id, offset: from, limit: PAGE_ROWS }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const heads = useMemo(() => {
    const kinds = new Map(columns.map(({ name, datatype }) => [name, datatype.kind]));
    return (data?.columns ?? []).map((name) => {
      const note = kinds.get(name) ?? "";
      return { name, note, isNumber: note === "numeric" };
    });
  }, [columns, data]);
  const cell = useCallback(
    (row: number, column: number): string | null => {
      const value = data?.rows[row]?.[column] ?? null;
      return value === null ? null : String(value);
    },
    [data],
  );
  const show = (start: number): void =>
    setQuery(
      (before) => {
        before.set("from", String(start + 1));
        return before;
      },
      { preventScrollReset: true },
    );
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  return (
    <>
      <div className="row">
        <span className="note" role="status">
          Rows {count(from + 1)} to {count(from + data.rows.length)} of {count(rows)}
        </span>
        {rows > data.rows.length && (
          <>
            <Button
              disabled={from === 0}
              onClick={() => show(Math.max(0, from - data.rows.length))}
            >
              Earlier rows
            </Button>
            <Button
              disabled={from + data.rows.length >= rows}
              onClick={() => show(from + data.rows.length)}
            >
              Later rows
            </Button>
          </>
        )}
      </div>
      <Grid
        label="Rows of the dataset"
        columns={heads}
        rowCount={data.rows.length}
        cell={cell}
        firstRow={from + 1}
      />
    </>
  );
}
