/** One dataset: what its columns hold, its rows, where it came from and what came of it. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { ask, type client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { count, counted, percent, size } from "../../../ui/numbers.ts";
import { Card, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Tabs, useTab } from "../../../ui/tabs.tsx";
import { shortened } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { queryAddress } from "../sql/query-address.ts";
import { readProfile } from "./column-figures.ts";
import { ColumnList } from "./column-list.tsx";
import { DatasetRows } from "./dataset-rows.tsx";
import { DeleteDataset } from "./delete-dataset.tsx";
import { LineageLists } from "./lineage-lists.tsx";
import { SourceNote } from "./source-note.tsx";

type Profiled = Awaited<ReturnType<typeof client.datasets.get.query>>;

const TABS = { columns: "Columns", rows: "Rows", lineage: "Lineage" } as const;

const PATH = [{ to: "/data", label: "Data" }];

export function DatasetPage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["datasets", id],
    // Of a wide table megabytes, which this operation passes on as they lie.
    queryFn: ({ signal }) => ask<Profiled>(`/v1/datasets/${encodeURIComponent(id)}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) {
    return (
      <Page title="Dataset" path={PATH}>
        {error ? (
          <ProblemNote error={error} retry={() => void refetch()}>
            <p>
              <Link to="/data">All datasets</Link>
            </p>
          </ProblemNote>
        ) : (
          <Loading />
        )}
      </Page>
    );
  }
  return <Shown dataset={data} />;
}

function Shown({ dataset }: { readonly dataset: Profiled }) {
  const { dataset_id: id, name, rows, bytes, columns, warnings, created_at, hash } = dataset;
  const [isDeleting, setIsDeleting] = useState(false);
  const mayDelete = useScope("datasets:write");
  const mayTrain = useScope("training:write");
  const mayQuery = useScope("workspace:read");
  const profile = useMemo(() => readProfile(dataset.profile), [dataset.profile]);
  const missing = profile.reduce((sum, column) => sum + column.missing, 0);
  const tab = useTab(TABS);
  return (
    <Page
      title={shortened(name)}
      path={PATH}
      lead={<SourceNote source={dataset.source} />}
      actions={
        <>
          {mayDelete && (
            <Button look="danger" onClick={() => setIsDeleting(true)}>
              Delete
            </Button>
          )}
          {mayQuery && <ButtonLink to={queryAddress(dataset.sql_name)}>Query by SQL</ButtonLink>}
          {mayTrain && (
            <ButtonLink look="main" to={`/train/new?dataset=${id}`}>
              Train a model
            </ButtonLink>
          )}
        </>
      }
    >
      <dl className="tiles">
        <Tile term="Rows">{count(rows)}</Tile>
        <Tile term="Columns">{count(columns.length)}</Tile>
        <Tile term="Missing">{percent(missing, rows * columns.length)}</Tile>
        <Tile term="Size">{size(bytes)}</Tile>
        <Tile term="Made">
          <Time at={created_at} />
        </Tile>
      </dl>
      {warnings.length > 0 && <WarningList of={warnings} />}
      <Tabs label="Parts of the dataset" tabs={TABS} chosen={tab} />
      {tab === "columns" && <ColumnList columns={profile} />}
      {tab === "rows" && <DatasetRows id={id} rows={rows} columns={columns} />}
      {tab === "lineage" && <LineageLists id={id} />}
      <p className="note">
        Dataset <code>{id}</code>, SHA-256 <code>{hash}</code>. In SQL it is{" "}
        <code>datasets.{dataset.sql_name}</code>
        {dataset.sql_stable_name !== dataset.sql_name && (
          <>
            {" "}
            or, whatever is uploaded later, <code>datasets.{dataset.sql_stable_name}</code>
          </>
        )}
        .
      </p>
      {isDeleting && <DeleteDataset id={id} name={name} onClose={() => setIsDeleting(false)} />}
    </Page>
  );
}

function Tile({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="tile">
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** How many are shown at first. */
const FEW_WARNINGS = 5;

function WarningList({ of }: { readonly of: readonly string[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? of.slice(0, 200) : of.slice(0, FEW_WARNINGS);
  return (
    <Card title={counted(of.length, "warning")}>
      <Warnings of={shown} most={600} />
      {of.length > FEW_WARNINGS && (
        <Button look="quiet" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole
            ? "Show fewer"
            : `Show ${of.length > 200 ? "the first 200" : `all ${of.length}`}`}
        </Button>
      )}
    </Card>
  );
}
