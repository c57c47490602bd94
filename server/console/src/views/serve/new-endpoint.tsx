/** Making an endpoint: its name and its first model. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, faultAt } from "../../ui/field.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { ModelChoice, useModels } from "./models.tsx";
import { NameField } from "./name-field.tsx";

/** The model's name, in the letters that an endpoint's may have. */
const suggestedName = (model: string): string =>
  model
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, 128);

interface NewEndpointProps {
  /** The reference of the model that the form begins with; empty for none. */
  readonly model: string;
  readonly onClose: () => void;
}

export function NewEndpoint({ model: first, onClose }: NewEndpointProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { models } = useModels();
  const [model, setModel] = useState(first);
  const [typedName, setName] = useState<string | null>(null);
  const called = models.find(({ id }) => id === model)?.name ?? model.replace(/@.*/, "");
  const name = typedName ?? suggestedName(called);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      client.serving.create.mutate({ name, models: [{ model_id: model, traffic: 100 }] }),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ["endpoints"] });
      navigate(`/serve/endpoints/${id}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <Dialog title="New endpoint" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Model"
          hint="More models and a shadow can be added later."
          fault={faultAt(error, "models.0.model_id")}
        >
          {(control) => <ModelChoice control={{ ...control }} value={model} onChange={setModel} />}
        </Field>
        <NameField
          value={name}
          onChange={setName}
          hint="Letters, digits, dots, hyphens and underscores; callers may use it in the address."
          error={error}
        />
        {error && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={isPending} disabled={model === "" || name === ""}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
