/** What is open of the saved statements, whether it was changed since, and what can be done with it. */

import { ServiceError } from "@distillery/client";
import { useEffect, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { idOf, type Saved, useSaving } from "./saved.ts";
import { TitleDialog } from "./title-dialog.tsx";

interface SavedBarProps {
  readonly workspace: string;
  /** Null = the statement was not saved. */
  readonly saved: Saved | null;
  /** As it is written now. */
  readonly text: string;
  readonly isChanged: boolean;
  readonly mayChange: boolean;
  /** Null = none is open any more. */
  readonly onOpen: (id: string | null) => void;
}

export function SavedBar(props: SavedBarProps) {
  const { workspace, saved, text, isChanged, mayChange, onOpen } = props;
  const { create, update, remove } = useSaving(workspace);
  const { done } = useToasts();
  const [asked, setAsked] = useState<"title" | "copy" | "delete" | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (!isChanged || saved === null) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isChanged, saved]);
  const close = (): void => setAsked(null);
  const save = async (revision: string): Promise<void> => {
    if (saved === null) return;
    setBusy(true);
    setError(null);
    try {
      await update(idOf(saved), { sql: text }, revision);
      done("Saved.");
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  const wasChanged = error instanceof ServiceError && error.status === 409;
  return (
    <>
      <div className="row saved-bar">
        {saved !== null && (
          <p>
            <strong>
              <Text of={saved.title} />
            </strong>{" "}
            <span className="note" role="status">
              {isChanged ? "Unsaved changes" : "Saved"}
            </span>
          </p>
        )}
        {mayChange && saved !== null && (
          <>
            <Button
              disabled={!isChanged || text.trim() === ""}
              busy={busy}
              onClick={() => void save(saved.revision)}
            >
              Save
            </Button>
            <Button onClick={() => setAsked("title")}>Rename</Button>
            <Button look="danger" onClick={() => setAsked("delete")}>
              Delete
            </Button>
          </>
        )}
        {mayChange && (
          <Button
            look={saved === null ? "plain" : "quiet"}
            disabled={text.trim() === ""}
            onClick={() => setAsked("copy")}
          >
            {saved === null ? "Save this statement" : "Save as another"}
          </Button>
        )}
        {saved !== null && (
          <Button look="quiet" onClick={() => onOpen(null)}>
            Leave it
          </Button>
        )}
      </div>
      {error !== null && (
        <ProblemNote error={error}>
          {wasChanged && (
            <>
              <p>Somebody else has saved it meanwhile. Saved as another, both are kept.</p>
              <Button onClick={() => void save("0")}>Save over it</Button>
            </>
          )}
        </ProblemNote>
      )}
      {asked === "title" && saved !== null && (
        <TitleDialog
          title="Rename the statement"
          action="Rename"
          start={saved.title}
          onClose={close}
          onSubmit={async (title) => {
            await update(idOf(saved), { title }, "0");
            close();
          }}
        />
      )}
      {asked === "copy" && (
        <TitleDialog
          title="Save the statement"
          action="Save it"
          start=""
          onClose={close}
          onSubmit={async (title) => {
            const made = await create(title, text);
            close();
            onOpen(idOf(made));
          }}
        />
      )}
      {asked === "delete" && saved !== null && (
        <Confirm
          title="Delete this saved statement?"
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await remove(idOf(saved));
            done("The saved statement was deleted.");
            onOpen(null);
            close();
          }}
        >
          <p>
            <strong>
              <Text of={saved.title} />
            </strong>{" "}
            goes for all of the organization; its text stays in the editor. Datasets that were made
            by it stay.
          </p>
        </Confirm>
      )}
    </>
  );
}
