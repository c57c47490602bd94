/** Files that were chosen and not sent yet: each to be looked at, all to be sent by one press. */

import { useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { counted } from "../../../ui/numbers.ts";
import { ChosenFile } from "./chosen-file.tsx";
import type { Format } from "./file-guess.ts";
import type { Parcel } from "./uploads.ts";

export interface Chosen {
  readonly id: string;
  readonly file: File;
}

interface ChosenListProps {
  readonly chosen: readonly Chosen[];
  /** The most bytes that the service takes; null = unknown. */
  readonly limit: number | null;
  readonly formats: readonly Format[];
  readonly onSend: (one: Chosen, as: Pick<Parcel, "name" | "format" | "encoding">) => void;
  readonly onDrop: (gone: readonly Chosen[]) => void;
}

export function ChosenList({ chosen, limit, formats, onSend, onDrop }: ChosenListProps) {
  const list = useRef<HTMLDivElement>(null);
  /** Of the last press, those with something against them. */
  const [kept, setKept] = useState(0);
  const sendAll = (): void => {
    const forms = [...(list.current?.querySelectorAll("form") ?? [])];
    const ready = forms.filter((form) => form.dataset["ready"] === "true" && form.checkValidity());
    setKept(forms.length - ready.length);
    for (const form of ready) form.requestSubmit();
  };
  return (
    <>
      {chosen.length > 1 && (
        <div className="actions">
          <Button look="main" onClick={sendAll}>
            Upload all {counted(chosen.length, "file")}
          </Button>
          <Button onClick={() => onDrop(chosen)}>Leave all out</Button>
        </div>
      )}
      {kept > 0 && chosen.length > 0 && (
        <p className="warnings" role="status">
          {counted(Math.min(kept, chosen.length), "file was", "files were")} not sent: look at what
          is said of each below, and send it by its own button.
        </p>
      )}
      <div className="chosen-files" ref={list}>
        {chosen.map((one) => (
          <ChosenFile
            key={one.id}
            file={one.file}
            limit={limit}
            formats={formats}
            onDrop={() => onDrop([one])}
            onSend={(as) => onSend(one, as)}
          />
        ))}
      </div>
    </>
  );
}
