/** One schema: its questions with what the gates measured, and documents to answer them for. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { JobEnd } from "../../../ui/job-end.tsx";
import { stateOf } from "../../../ui/job-state.ts";
import { Loading } from "../../../ui/loading.tsx";
import { counted } from "../../../ui/numbers.ts";
import { Card, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Status } from "../../../ui/status.tsx";
import { Tabs, useTab } from "../../../ui/tabs.tsx";
import { Text } from "../../../ui/text.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { ExtractForm } from "../extractions/extract-form.tsx";
import { isOpen, JOB_REFRESH_MS, JobProgress } from "../job-progress.tsx";
import { notAskedOf, notesOf } from "./figures.ts";
import { Question } from "./question.tsx";
import { schemaName } from "./schema-name.ts";

type SchemaModel = Extract<Outputs["models"]["get"], { type: "document_schema" }>;

const PATH = [
  { to: "/documents", label: "Documents" },
  { to: "/documents/schemas", label: "Schemas" },
];
const TABS = { questions: "Questions", extract: "Answer them" } as const;

export function SchemaPage() {
  const { modelId = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["model", modelId],
    queryFn: ({ signal }) => client.models.get.query({ model_id: modelId }, { signal }),
    refetchInterval: ({ state }) =>
      state.data && isOpen({ status: state.data.status }) ? JOB_REFRESH_MS : false,
  });
  if (data?.type === "document_schema") return <Shown model={data} />;
  return (
    <Page title="Schema" path={PATH}>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()}>
          <p>
            <ButtonLink to="/documents/schemas">All schemas</ButtonLink>
          </p>
        </ProblemNote>
      ) : data ? (
        <p>
          This is a trained model.{" "}
          <ButtonLink to={`/models/${encodeURIComponent(modelId)}`}>Open it</ButtonLink>
        </p>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Shown({ model }: { readonly model: SchemaModel }) {
  const { id, status, skill, use_case, documents } = model;
  const mayWrite = useScope("documents:write");
  const tab = useTab(TABS);
  return (
    <Page
      title={schemaName(model)}
      path={PATH}
      lead={
        <>
          <Status of={stateOf(model)} /> {skill}, of {counted(documents, "document")}
          {schemaName(model, 300) !== use_case.trim() && (
            <>
              . For: <Text of={use_case} most={300} />
            </>
          )}
        </>
      }
    >
      <JobEnd of={model} the="Finding its questions" />
      {isOpen({ status }) && <Induction jobId={model.job_id} />}
      {status === "completed" && (
        <>
          {mayWrite && <Tabs label="Parts of the schema" tabs={TABS} chosen={tab} />}
          {tab === "extract" && mayWrite ? (
            <ExtractForm modelId={id} />
          ) : (
            <Questions modelId={id} />
          )}
        </>
      )}
    </Page>
  );
}

function Induction({ jobId }: { readonly jobId: string }) {
  const { data } = useQuery({
    queryKey: ["document-job", jobId],
    queryFn: ({ signal }) => client.agentic.getJob.query({ job_id: jobId }, { signal }),
    refetchInterval: JOB_REFRESH_MS,
  });
  return data && isOpen(data) ? <JobProgress job={data} /> : <Loading />;
}

function Questions({ modelId }: { readonly modelId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["document-schema", modelId],
    queryFn: ({ signal }) => client.agentic.getSchema.query({ model_id: modelId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const { questions, metadata } = data.schema;
  const notes = notesOf(metadata);
  const notAsked = notAskedOf(metadata);
  return (
    <>
      <Warnings of={notes} />
      <Card title={counted(questions.length, "question")}>
        {questions.map((question) => (
          <Question key={question.id} question={question} metadata={metadata} />
        ))}
      </Card>
      {notAsked.length > 0 && (
        <Card title="Not asked">
          <ul>
            {notAsked.map(({ name, reason }) => (
              <li key={`${name} ${reason}`}>
                <strong>
                  <Text of={name} />
                </strong>
                : {reason}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
