/** Another name for an endpoint. */

import { type FormEvent, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { useChange } from "./change.ts";
import type { Endpoint } from "./endpoint.ts";

export function Rename({
  endpoint,
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(endpoint.name);
  const { mutate, isPending, error } = useChange(endpoint, endpoint.revision, "Renamed.", onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ name });
  };
  return (
    <Dialog title="Rename the endpoint" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          hint="Callers that use the old name in the address get 404 from then on; its id stays."
          fault={faultAt(error, "name")}
        >
          {(control) => (
            <input
              {...control}
              value={name}
              required
              maxLength={128}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {error && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
