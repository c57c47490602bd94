/** What has to be answered before anything else goes on: the browser's own modal dialog. */

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem.tsx";

interface DialogProps {
  readonly title: string;
  /** By its button, by Escape, or by whoever shows it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shown as long as it is rendered; gives the focus back to what had it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // While it is still in the page: to close it gives the focus back.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="head">
        <h2 id={heading}>{title}</h2>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What the button says, such as "Delete". */
  readonly action: string;
  /** What cannot be undone, and what stays. */
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** Its failure is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<void>;
}

/** Asks before something is lost. */
export function Confirm({ title, action, children, onClose, onConfirm }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error !== null && <ProblemNote error={error} />}
      <div className="actions">
        <Button look="danger" busy={busy} onClick={() => void confirm()}>
          {action}
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  );
}
