/** Scores models on a dataset whose label is known, side by side where there are several. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { DatasetChoice } from "../../../ui/dataset-choice.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { useToasts } from "../../../ui/toasts.tsx";

interface EvaluateDialogProps {
  /** The others are compared with the first. */
  readonly models: readonly string[];
  readonly onClose: () => void;
}

export function EvaluateDialog({ models, onClose }: EvaluateDialogProps) {
  const [first = "", ...others] = models;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { done } = useToasts();
  const [dataset, setDataset] = useState("");
  const { data, error: unread } = useQuery({
    queryKey: ["datasets", "latest"],
    queryFn: ({ signal }) => client.datasets.list.query({ limit: 1, max_columns: 0 }, { signal }),
  });
  const starting = useMutation({
    mutationFn: () =>
      client.evaluations.create.mutate({
        model_id: first,
        compare_with: others,
        dataset_id: dataset,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["evaluations"] });
      done("The evaluation has started.");
      onClose();
      navigate(
        others.length > 0
          ? `/models/compare?models=${models.join(",")}`
          : `/models/${first}?tab=evaluations`,
      );
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    starting.mutate();
  };
  const { error } = starting;
  const fault = faultAt(error, "dataset_id");
  return (
    <Dialog title={others.length > 0 ? "Compare on a dataset" : "Evaluate"} onClose={onClose}>
      <p>
        Scores {others.length > 0 ? "the models" : "the model"} on rows whose truth is known. Choose
        rows that {others.length > 0 ? "none of them has" : "it has not"} learned from: of those
        that it has, any score is too good.
      </p>
      {data === undefined ? (
        unread ? (
          <ProblemNote error={unread} />
        ) : (
          <Loading />
        )
      ) : data.datasets.length === 0 ? (
        <p>
          There is no dataset yet. <ButtonLink to="/data/upload">Upload a table</ButtonLink>
        </p>
      ) : (
        <form onSubmit={submit}>
          <Field label="Dataset" fault={fault}>
            {(control) => (
              <DatasetChoice
                control={control}
                required
                value={dataset}
                none="Choose one"
                onChange={setDataset}
              />
            )}
          </Field>
          {error && !fault && <ProblemNote error={error} />}
          <div className="actions">
            <Button look="main" type="submit" busy={starting.isPending}>
              Start
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
