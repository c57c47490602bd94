/** A table of the catalog: its first rows, and what to do with it. */

import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { ask } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { columnTypeWord } from "../../../ui/column-type.ts";
import { Grid } from "../../../ui/grid.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { MakeDataset } from "../make-dataset.tsx";
import { isNumberType, type QueryAnswer, valueText } from "../sql/result.ts";
import { NameNote } from "./consequences.tsx";
import { DeleteOwned } from "./delete-owned.tsx";

interface TablePreviewProps {
  readonly workspace: string;
  readonly path: { readonly catalog: string; readonly schema: string; readonly table: string };
}

export function TablePreview({ workspace, path }: TablePreviewProps) {
  const { catalog, schema, table } = path;
  const [isMaking, setIsMaking] = useState(false);
  const [query] = useSearchParams();
  /** Of the built-in catalog, where nothing is defined or deleted. */
  const datasetId = query.get("dataset");
  const mayMake = useScope("datasets:write");
  const mayChange = useScope("workspace:write") && datasetId === null;
  const { data, error, refetch } = useQuery({
    queryKey: ["workspace", workspace, "preview", catalog, schema, table],
    queryFn: ({ signal }) =>
      ask<QueryAnswer>(
        `/v1/workspaces/${workspace}/catalogs/${catalog}/schemas/${schema}/tables/${table}/preview?maxRows=200`,
        { signal },
      ),
    staleTime: 60_000,
  });
  const heads = useMemo(
    () =>
      (data?.columns ?? []).map(({ name, type }) => ({
        ...{ name, note: columnTypeWord(type), exact: type },
        isNumber: isNumberType(type),
      })),
    [data],
  );
  const cell = useCallback(
    (row: number, column: number) => valueText(data?.rows[row]?.[data.columns[column]!.name]),
    [data],
  );
  const name = datasetId === null ? `${catalog}.${schema}.${table}` : `${catalog}.${table}`;
  const statement = `SELECT * FROM ${name}${datasetId === null ? "" : " LIMIT 100"}`;
  return (
    <Card
      title={name}
      actions={
        <>
          {mayChange && <DeleteOwned workspace={workspace} path={path} what="table" />}
          <ButtonLink to={`/data/sql?sql=${encodeURIComponent(statement)}`}>Query it</ButtonLink>
          {datasetId !== null && (
            <ButtonLink look="main" to={`/data/datasets/${datasetId}`}>
              Open the dataset
            </ButtonLink>
          )}
          {mayMake && datasetId === null && (
            <Button look="main" onClick={() => setIsMaking(true)}>
              Make a dataset
            </Button>
          )}
        </>
      }
    >
      {data === undefined ? (
        error ? (
          <ProblemNote error={error} retry={() => void refetch()} />
        ) : (
          <Loading label="Reading the first rows" />
        )
      ) : data.rows.length === 0 ? (
        <p>It has no rows.</p>
      ) : (
        <>
          <p className="note">
            {data.truncated ? `The first ${data.rows.length} rows` : `All ${data.rows.length} rows`}
          </p>
          <Grid
            label={`First rows of ${name}`}
            columns={heads}
            rowCount={data.rows.length}
            cell={cell}
          />
        </>
      )}
      {mayChange && <NameNote what="table" />}
      {isMaking && (
        <MakeDataset
          of={{ table: name }}
          suggestedName={table}
          onClose={() => setIsMaking(false)}
        />
      )}
    </Card>
  );
}
