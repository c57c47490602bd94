/** One extraction: its answers as a table to correct, beside the page that they stand on. */

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { ask, client } from "../../../api/client.ts";
import { JobEnd } from "../../../ui/job-end.tsx";
import { stateOf } from "../../../ui/job-state.ts";
import { Loading } from "../../../ui/loading.tsx";
import { counted } from "../../../ui/numbers.ts";
import { Page } from "../../../ui/page.tsx";
import { PendingPage } from "../../../ui/pending-page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Status } from "../../../ui/status.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { isOpen, JOB_REFRESH_MS, JobProgress } from "../job-progress.tsx";
import { useSchemaName } from "../schemas/use-schema-name.ts";
import { AnswerTable } from "./answer-table.tsx";
import { LabelList } from "./label-list.tsx";
import { useReview } from "./labels.ts";
import { MakeDataset } from "./make-dataset.tsx";
import { Place } from "./place.tsx";
import type { Row } from "./rows.ts";

const PATH = [
  { to: "/documents", label: "Documents" },
  { to: "/documents/extractions", label: "Extractions" },
];

export function ExtractionPage() {
  const { jobId = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["document-job", jobId],
    queryFn: ({ signal }) => client.agentic.getJob.query({ job_id: jobId }, { signal }),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? JOB_REFRESH_MS : false),
  });
  const name = useSchemaName(data?.model_id ?? "", 60);
  if (data === undefined) {
    return (
      <PendingPage
        title="Extraction"
        path={PATH}
        error={error}
        retry={() => void refetch()}
        all={{ to: "/documents/extractions", label: "All extractions" }}
      />
    );
  }
  const { status, model_id, documents } = data;
  return (
    <Page
      title={`Answers: ${name}`}
      path={PATH}
      lead={
        <>
          <Status of={stateOf(data)} /> {counted(documents, "document")},{" "}
          <Link to={`/documents/schemas/${encodeURIComponent(model_id)}`}>its questions</Link>
        </>
      }
    >
      <JobEnd of={data} the="Reading the answers" />
      {isOpen(data) && <JobProgress job={data} />}
      {status === "completed" && <Rows jobId={jobId} modelId={model_id} schemaName={name} />}
    </Page>
  );
}

interface Result {
  readonly result: {
    readonly rows: readonly Row[];
    readonly warnings: readonly string[];
    readonly dataset_id?: string;
  };
}

interface RowsProps {
  readonly jobId: string;
  readonly modelId: string;
  readonly schemaName: string;
}

function Rows({ jobId, modelId, schemaName }: RowsProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["extracted-rows", jobId],
    queryFn: ({ signal }) => ask<Result>(`/v1/results/${jobId}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const { rows, warnings, dataset_id } = data.result;
  return (
    <>
      <Warnings of={warnings} />
      {dataset_id && (
        <p>
          The answers, as they were read, are a{" "}
          <Link to={`/data/datasets/${dataset_id}`}>dataset</Link>.
        </p>
      )}
      <Review jobId={jobId} modelId={modelId} schemaName={schemaName} rows={rows} />
    </>
  );
}

interface ReviewProps extends RowsProps {
  readonly rows: readonly Row[];
}

function Review({ jobId, modelId, schemaName, rows }: ReviewProps) {
  const [query, setQuery] = useSearchParams();
  const review = useReview(jobId, modelId, rows);
  const { corrections, faults, labels, error, type, settle, takeBack } = review;
  const row = Number(query.get("row") ?? 0);
  const question = query.get("question");
  const choose = useCallback(
    (at: number, of: string) => setQuery({ row: String(at), question: of }, { replace: true }),
    [setQuery],
  );
  const { data: schema } = useQuery({
    queryKey: ["document-schema", modelId],
    queryFn: ({ signal }) => client.agentic.getSchema.query({ model_id: modelId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shown = rows[row];
  return (
    <>
      {error && <ProblemNote error={error} />}
      <div className="review">
        <AnswerTable
          rows={rows}
          questions={schema?.schema.questions ?? []}
          corrections={corrections}
          row={row}
          question={question}
          onChoose={choose}
          faults={faults}
          onCorrect={type}
          onSettle={settle}
          onTakeBack={takeBack}
        />
        {shown && <Place row={shown} question={question} />}
      </div>
      <MakeDataset rows={rows} corrections={corrections} name={`${schemaName} answers`} />
      <LabelList modelId={modelId} labels={labels} />
    </>
  );
}
