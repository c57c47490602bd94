/** The one thing to do next, by what there is: bring data, train, watch, or ask a model. */

import type { Outputs } from "@distillery/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { useScope } from "../../api/session.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";
import { useModelIsThere } from "../../ui/use-model-is-there.ts";
import { EXAMPLE_SOURCE, uploadExample } from "./example-data.ts";

type Dataset = Outputs["datasets"]["list"]["datasets"][number];
type Run = Outputs["training"]["list"]["training_jobs"][number];

interface NextStepProps {
  /** Newest first; behind the newest runs one that is at work. */
  readonly datasets: readonly Dataset[];
  readonly runs: readonly Run[];
}

export function NextStep({ datasets, runs }: NextStepProps) {
  const [dataset] = datasets;
  const made = runs.find(({ status }) => status === "completed");
  const done = useModelIsThere(made?.model_id ?? null) ? made : undefined;
  const open =
    runs.find(({ status }) => status === "running") ??
    runs.findLast(({ status }) => status === "pending");
  if (!dataset && !done) return <BringData />;
  if (done) return <AskModel run={done} />;
  if (open) {
    return (
      <Card title="Next: watch the run">
        <p>
          <Text of={open.name} most={60} />{" "}
          {open.status === "running" ? "is at work" : "waits for its turn"}. It ends with a model
          that answers.
        </p>
        <ButtonLink look="main" to={`/train/runs/${open.id}`}>
          Watch the run
        </ButtonLink>
      </Card>
    );
  }
  return dataset ? <TrainOn dataset={dataset} /> : <BringData />;
}

function BringData() {
  const mayUpload = useScope("datasets:write");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const example = useMutation({
    mutationFn: uploadExample,
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ["datasets"] });
      await navigate(`/train/new?dataset=${id}`);
    },
  });
  if (!mayUpload) {
    return (
      <Card title="Nothing is here yet">
        <p>Your key may not upload data. Ask for one with the scope datasets:write.</p>
      </Card>
    );
  }
  return (
    <Card title="Next: bring a table">
      <p>
        One row a case, one column to predict: CSV, Parquet, Arrow or JSON lines. No table at hand?
        The example is there in one press: 1,728 cars, each rated from unacceptable to very good.
      </p>
      <div className="row">
        <ButtonLink look="main" to="/data/upload">
          Upload a table
        </ButtonLink>
        <Button busy={example.isPending} onClick={() => example.mutate()}>
          Try the example
        </Button>
      </div>
      <p className="hint">{EXAMPLE_SOURCE}</p>
      {example.error && <ProblemNote error={example.error} />}
    </Card>
  );
}

function TrainOn({
  dataset: { dataset_id: id, name, rows, columns },
}: {
  readonly dataset: Dataset;
}) {
  return (
    <Card title="Next: train a model">
      <p>
        <Text of={name} most={60} /> has {rows.toLocaleString("en")} rows and{" "}
        {columns.length.toLocaleString("en")} columns. Choose the one to predict; a minute is enough
        for a first model.
      </p>
      <ButtonLink look="main" to={`/train/new?dataset=${id}`}>
        Train a model on it
      </ButtonLink>
    </Card>
  );
}

function AskModel({ run }: { readonly run: Run }) {
  return (
    <Card title="Next: ask the model">
      <p>
        The run <Text of={run.name} most={60} /> has made a model that predicts{" "}
        <Text of={run.config.task.label_column} most={60} />. Change the values of a row and see
        what it says.
      </p>
      <div className="row">
        <ButtonLink look="main" to={`/models/${run.model_id}?tab=what-if`}>
          Try the model
        </ButtonLink>
        <ButtonLink to={`/train/runs/${run.id}`}>See how it was made</ButtonLink>
      </div>
    </Card>
  );
}
