/** What turned out to be true of the prediction that was just made. */

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";

interface FeedbackProps {
  readonly endpointId: string;
  readonly predictionId: string;
  /** Of the model; empty where it predicts numbers. */
  readonly classes: readonly string[];
}

export function Feedback({ endpointId, predictionId, classes }: FeedbackProps) {
  const [label, setLabel] = useState("");
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: () =>
      client.serving.feedback.mutate({
        endpoint_id: endpointId,
        labels: [
          { prediction_id: predictionId, label: classes.length > 0 ? label : Number(label) },
        ],
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  const type = (text: string): void => {
    reset();
    setLabel(text);
  };
  return (
    <form className="form-line" onSubmit={submit}>
      <Field
        label="What turned out to be true"
        hint={
          <>
            Feedback on <code>{predictionId.slice(0, 12)}…</code>: it is scored live.
          </>
        }
        fault={faultAt(error, "labels.0.label")}
      >
        {(control) =>
          classes.length > 0 ? (
            <select {...control} value={label} onChange={(event) => type(event.target.value)}>
              <option value="">Choose</option>
              {classes.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          ) : (
            <input
              {...control}
              type="number"
              step="any"
              value={label}
              onChange={(event) => type(event.target.value)}
            />
          )
        }
      </Field>
      <Button type="submit" busy={isPending} disabled={label === "" || isSuccess}>
        Send feedback
      </Button>
      {isSuccess && <p role="status">Taken.</p>}
      {error && <ProblemNote error={error} />}
    </form>
  );
}
