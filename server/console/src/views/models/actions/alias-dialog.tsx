/** An alias that leads to a model: `name@alias`, which stays while the model behind it changes. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import type { TrainedModel } from "../queries.ts";

interface AliasDialogProps {
  readonly model: TrainedModel;
  readonly onClose: () => void;
}

export function AliasDialog({ model, onClose }: AliasDialogProps) {
  const queries = useQueryClient();
  const { done } = useToasts();
  const [name, setName] = useState(model.version === null ? "" : model.name);
  const [alias, setAlias] = useState("");
  const saving = useMutation({
    mutationFn: () =>
      client.registry.setAlias.mutate({
        name: name.trim(),
        alias: alias.trim(),
        model_id: model.id,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["models"] });
      done(`${name.trim()}@${alias.trim()} leads to this model now.`);
      onClose();
    },
  });
  const removing = useMutation({
    mutationFn: (reference: string) => {
      const at = reference.lastIndexOf("@");
      return client.registry.deleteAlias.mutate({
        name: reference.slice(0, at),
        alias: reference.slice(at + 1),
      });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["models"] }),
  });
  const { error } = saving;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  const [nameFault, aliasFault] = [faultAt(error, "name"), faultAt(error, "alias")];
  return (
    <Dialog title="Alias" onClose={onClose}>
      <p>
        Who asks for an alias gets the model that it leads to. Move it, and all of them get the
        other one at once.
      </p>
      {model.aliases.length > 0 && (
        <ul className="downloads">
          {model.aliases.map((reference) => (
            <li key={reference} className="head">
              <span className="tag">{reference}</span>
              <Button
                look="danger"
                busy={removing.isPending && removing.variables === reference}
                onClick={() => removing.mutate(reference)}
                aria-label={`Take away ${reference}`}
              >
                Take away
              </Button>
            </li>
          ))}
        </ul>
      )}
      {removing.error && <ProblemNote error={removing.error} />}
      <form onSubmit={submit}>
        <div className="form-row">
          <Field label="Name" hint="Such as churn" fault={nameFault}>
            {(control) => (
              <input
                {...control}
                required
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
          <Field label="Alias" hint="Such as champion" fault={aliasFault}>
            {(control) => (
              <input
                {...control}
                required
                value={alias}
                onChange={({ target }) => setAlias(target.value)}
              />
            )}
          </Field>
        </div>
        {error && !nameFault && !aliasFault && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={saving.isPending}>
            Let it lead here
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </form>
    </Dialog>
  );
}
