/** Makes a dataset of a query's or a table's rows, as they are now. */

import type { Dataset } from "@distillery/client";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { ask } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, faultAt } from "../../ui/field.tsx";
import { counted } from "../../ui/numbers.ts";
import { ProblemNote } from "../../ui/problem.tsx";
import { useToasts } from "../../ui/toasts.tsx";

interface MakeDatasetProps {
  readonly of: { readonly sql: string } | { readonly table: string };
  readonly suggestedName: string;
  readonly onClose: () => void;
}

export function MakeDataset({ of, suggestedName, onClose }: MakeDatasetProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { done } = useToasts();
  const [name, setName] = useState(suggestedName);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const make = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const dataset = await ask<Dataset>("/v1/datasets", { method: "POST", body: { name, ...of } });
      done(`A dataset of ${counted(dataset.rows, "row")} was made.`);
      await queries.invalidateQueries({ queryKey: ["datasets"] });
      navigate(`/data/datasets/${dataset.dataset_id}`);
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void make();
  };
  return (
    <Dialog title="Make a dataset" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          All rows are read, also those beyond what is shown, and kept as they are now. The dataset
          records what it was made of.
        </p>
        <Field label="Name" fault={faultAt(error, "name")}>
          {(control) => (
            <input
              {...control}
              value={name}
              maxLength={200}
              required
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        {error !== null && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={busy}>
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
