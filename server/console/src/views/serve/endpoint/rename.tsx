/** Another name for an endpoint. */

import { type FormEvent, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { NameField } from "../name-field.tsx";
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
        <NameField
          value={name}
          onChange={setName}
          hint="Callers that use the old name in the address get 404 from then on; its id stays."
          error={error}
        />
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
