/** A model's name in the registry, its tags and its notes. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import type { TrainedModel } from "../queries.ts";
import { changedTags, tagLines } from "./tags.ts";

export function NamingDialog({
  model,
  onClose,
}: {
  readonly model: TrainedModel;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const { done } = useToasts();
  const named = model.version === null ? "" : model.name;
  const [name, setName] = useState(named);
  const [notes, setNotes] = useState(model.notes);
  const [tags, setTags] = useState(tagLines(model.tags));
  const saving = useMutation({
    mutationFn: () =>
      client.models.patch.mutate({
        model_id: model.id,
        ...(name.trim() === named ? {} : { name: name.trim() === "" ? null : name.trim() }),
        ...(notes === model.notes ? {} : { notes: notes === "" ? null : notes }),
        tags: changedTags(model.tags, tags),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["models"] });
      done("Saved.");
      onClose();
    },
  });
  const { error } = saving;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  const nameFault = faultAt(error, "name");
  const notesFault = faultAt(error, "notes");
  return (
    <Dialog title="Name and notes" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Registered name"
          hint="Letters, digits, dots, dashes; such as churn. The model becomes its next version; predictions can then be asked of the name."
          fault={nameFault}
        >
          {(control) => (
            <input {...control} value={name} onChange={({ target }) => setName(target.value)} />
          )}
        </Field>
        <Field label="Notes" hint="What others should know about it." fault={notesFault}>
          {(control) => (
            <textarea
              {...control}
              rows={5}
              value={notes}
              onChange={({ target }) => setNotes(target.value)}
            />
          )}
        </Field>
        <Field
          label="Tags"
          hint="One a line, such as team: pricing."
          fault={faultAt(error, "tags")}
        >
          {(control) => (
            <textarea
              {...control}
              rows={3}
              value={tags}
              onChange={({ target }) => setTags(target.value)}
            />
          )}
        </Field>
        {error && !nameFault && !notesFault && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={saving.isPending}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
