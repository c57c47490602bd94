/** Asks what a statement is to be called. */

import { type FormEvent, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";

interface TitleDialogProps {
  readonly title: string;
  readonly action: string;
  readonly start: string;
  readonly onClose: () => void;
  /** Its failure is shown, and the dialog stays. */
  readonly onSubmit: (title: string) => Promise<void>;
}

export function TitleDialog({ title, action, start, onClose, onSubmit }: TitleDialogProps) {
  const [text, setText] = useState(start);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onSubmit(text.trim());
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" fault={faultAt(error, "title")}>
          {(control) => (
            <input
              {...control}
              value={text}
              maxLength={200}
              pattern=".*\S.*"
              required
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {error !== null && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
