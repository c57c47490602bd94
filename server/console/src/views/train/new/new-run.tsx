/** A new run: a form that follows the data, with the equal call beside it. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { client } from "../../../api/client.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { DatasetChoice } from "../../../ui/dataset-choice.tsx";
import { Field, faultWithin } from "../../../ui/field.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { counted } from "../../../ui/numbers.ts";
import { Card, Empty, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Snippet } from "../../../ui/snippet.tsx";
import { ColumnField } from "./columns.tsx";
import {
  type Draft,
  EMPTY,
  isWritten,
  requestOf,
  type Subject,
  shownRequest,
  stepColumns,
} from "./draft.ts";
import { MetricFields, TimeFields } from "./goal-fields.tsx";
import {
  columnFacts,
  type Dataset,
  describeColumn,
  guessKind,
  guessLabel,
  guessSteps,
  guessTime,
  type Options,
  type TaskOptions,
} from "./guess.ts";
import {
  FamilyFields,
  NameFields,
  RowFields,
  StrategyFields,
  TeacherFields,
} from "./search-fields.tsx";
import { OwnFields, RoleFields } from "./task-fields.tsx";

const PATH = [{ to: "/train", label: "Train" }];
/** What is predicted of a table, by what its rows are. */
const PREDICTED: Readonly<Record<TaskOptions["row"], string>> = {
  row: "Each row is predicted by itself.",
  series: "Rows are steps in time: those to come are forecast.",
  sequences: "Rows are steps of sequences, each of which has one label.",
};

export function NewRun() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("dataset");
  const datasets = useQuery({
    queryKey: ["datasets", "latest"],
    queryFn: ({ signal }) => client.datasets.list.query({ limit: 1, max_columns: 0 }, { signal }),
  });
  const options = useQuery({
    queryKey: ["trainer-options"],
    queryFn: ({ signal }) => client.training.options.query(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const chosen = asked ?? datasets.data?.datasets[0]?.dataset_id;
  const dataset = useQuery({
    queryKey: ["dataset", chosen],
    queryFn: ({ signal }) => client.datasets.get.query({ dataset_id: chosen ?? "" }, { signal }),
    enabled: chosen !== undefined,
  });
  const error = options.error ?? datasets.error;
  if (error) {
    const again = (): void => {
      void options.refetch();
      void datasets.refetch();
    };
    return (
      <Page title="Train a model" path={PATH}>
        <ProblemNote error={error} retry={again} />
      </Page>
    );
  }
  if (!options.data || !datasets.data) return <Loading />;
  const choose = (id: string): void => setSearch({ dataset: id }, { replace: true });
  if (chosen === undefined) {
    return (
      <Page title="Train a model" path={PATH}>
        <Empty
          title="There is no data to learn from yet"
          action={
            <ButtonLink look="main" to="/data/upload">
              Upload data
            </ButtonLink>
          }
        >
          <p>A run learns from a dataset: a table with a column to predict.</p>
        </Empty>
      </Page>
    );
  }
  const choice = <DatasetField chosen={chosen} current={dataset.data} onChange={choose} />;
  if (!dataset.data) {
    return (
      <Page title="Train a model" path={PATH}>
        <Card title="Data">
          {choice}
          {dataset.error ? (
            <ProblemNote error={dataset.error} retry={() => void dataset.refetch()} />
          ) : (
            <Loading />
          )}
        </Card>
      </Page>
    );
  }
  // Another dataset has other columns: nothing that was chosen of the last one holds.
  return <RunForm key={chosen} dataset={dataset.data} options={options.data} choice={choice} />;
}

function DatasetField({
  chosen,
  current,
  onChange,
}: {
  readonly chosen: string;
  readonly current: Dataset | undefined;
  readonly onChange: (id: string) => void;
}) {
  return (
    <Field
      label="Dataset"
      hint={
        current && `${counted(current.rows, "row")}, ${counted(current.columns.length, "column")}.`
      }
    >
      {(control) => (
        <DatasetChoice control={control} value={chosen} name={current?.name} onChange={onChange} />
      )}
    </Field>
  );
}

interface RunFormProps {
  readonly dataset: Dataset;
  readonly options: Options;
  readonly choice: ReactNode;
}

function RunForm({ dataset, options, choice }: RunFormProps) {
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const [draft, setDraft] = useState(EMPTY);
  const form = useRef<HTMLFormElement>(null);
  const columns = useMemo(() => columnFacts(dataset), [dataset]);
  const label = search.get("label") ?? guessLabel(columns);
  const facts = columns.find(({ name }) => name === label);
  const steps = useMemo(() => guessSteps(columns, dataset.rows, facts), [columns, dataset, facts]);
  const kind =
    options.task_kinds.find(({ task_kind }) => task_kind === search.get("task")) ??
    guessKind(options, facts, steps);
  const start = useMutation({
    mutationFn: (request: ReturnType<typeof requestOf>) => client.training.run.mutate(request),
    onSuccess: ({ job_id }) => navigate(`/train/runs/${job_id}`),
  });
  const { error } = start;
  useEffect(() => {
    if (error) showFault(form.current);
  }, [error]);
  if (!kind) throw new Error("The service knows no kind of task.");
  const subject: Subject = {
    datasetId: dataset.dataset_id,
    label,
    kind,
    columns,
    timeColumn:
      draft.timeColumn ?? (kind.required.includes("time_column") ? guessTime(columns) : ""),
    ...stepColumns(draft, steps),
  };
  const request = requestOf(draft, subject);
  const change = (changes: Partial<Draft>): void => setDraft((last) => ({ ...last, ...changes }));
  const address = (changes: Readonly<Record<string, string>>): void => {
    const next = new URLSearchParams({
      dataset: dataset.dataset_id,
      ...Object.fromEntries(search),
    });
    for (const [name, value] of Object.entries(changes)) next.set(name, value);
    setSearch(next, { replace: true });
  };
  const chooseKind = (task: string): void => {
    address({ label, task });
    // Metrics and families of another kind do not fit.
    change({ metrics: [], sweep: false, families: [] });
  };
  const chooseLabel = (name: string): void => {
    const column = columns.find((each) => each.name === name);
    const guessed = guessKind(options, column, guessSteps(columns, dataset.rows, column));
    const next = kind.row === "row" ? guessed : kind;
    address({ label: name, task: next?.task_kind ?? kind.task_kind });
    if (next !== kind) change({ metrics: [], sweep: false, families: [] });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isWritten(draft)) start.mutate(request);
    else showFault(form.current);
  };
  const part = { draft, subject, options, error, change };
  return (
    <Page
      title="Train a model"
      path={PATH}
      lead="Check what is to be predicted, and start. Everything else has a sensible default."
    >
      <form className="new-run" onSubmit={submit} ref={form} noValidate>
        <div className="parts">
          <Card title="What to predict">
            {choice}
            <div className="form-row">
              <ColumnField
                label="Column to predict"
                hint={
                  facts ? describeColumn(facts) : "Choose the column that models learn to fill."
                }
                fault={faultWithin(error, "task.label_column")}
                columns={columns}
                value={label}
                onChange={chooseLabel}
              />
              <Field
                label="Kind of task"
                hint={PREDICTED[kind.row]}
                fault={faultWithin(error, "task.task_kind")}
              >
                {(control) => (
                  <select
                    {...control}
                    value={kind.task_kind}
                    onChange={({ target }) => chooseKind(target.value)}
                  >
                    {options.task_kinds.map(({ task_kind, title }) => (
                      <option key={task_kind} value={task_kind}>
                        {title}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            </div>
            <OwnFields {...part} />
          </Card>
          <Card title="How long, and how good">
            <TimeFields {...part} />
            <MetricFields {...part} />
          </Card>
          <Folded title="Model families, validation, search">
            <FamilyFields {...part} />
            <StrategyFields {...part} />
          </Folded>
          <Folded title="Rows and columns">
            <RowFields {...part} />
            <RoleFields {...part} />
          </Folded>
          <Folded title="Teacher">
            <TeacherFields {...part} />
          </Folded>
          <Folded title="Name and tags">
            <NameFields {...part} />
          </Folded>
        </div>
        <div className="beside">
          {error && <ProblemNote error={error} />}
          <Button look="main" type="submit" busy={start.isPending} className="start">
            Start the run
          </Button>
          <Card title="The same by the API">
            <Snippet
              label="Start this run"
              call={{
                method: "POST",
                path: "/v1/trainer/run",
                body: shownRequest(request),
                procedure: "training.run.mutate",
              }}
            />
          </Card>
        </div>
      </form>
    </Page>
  );
}

/** Leads to the first field that something is wrong with, wherever it is folded away. */
function showFault(form: HTMLFormElement | null): void {
  const control = form?.querySelector<HTMLElement>("[aria-invalid], .fault");
  const folded = control?.closest("details");
  if (folded) folded.open = true;
  control?.focus();
  control?.scrollIntoView({ block: "center" });
}

/** What most runs leave as it is. */
function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className="card">
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}
