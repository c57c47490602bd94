/** Where files are dropped, or chosen by a button. */

import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { Button } from "./button.tsx";

interface DropZoneProps {
  /** Of the zone, for those who do not see it. */
  readonly label: string;
  /** Such as `documents`: they are dropped or chosen. */
  readonly what?: string;
  /** Endings of file names, as `<input accept>` takes them. */
  readonly accept?: string;
  readonly onFiles: (files: Iterable<File>) => void;
  /** What is taken. */
  readonly note: ReactNode;
}

export function DropZone({ label, what = "files", accept, onFiles, note }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(true);
  };
  const dropped = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    onFiles(event.dataTransfer.files);
  };
  return (
    <section
      aria-label={label}
      className={isOver ? "drop-zone over" : "drop-zone"}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={dropped}
    >
      <p>
        <strong>Drop {what} here</strong>, or choose them.
      </p>
      <input
        ref={input}
        className="unseen"
        type="file"
        multiple
        accept={accept}
        aria-label="Files"
        tabIndex={-1}
        onChange={({ target }) => {
          // Its list is emptied below, so that the same file can be chosen again.
          onFiles(Array.from(target.files ?? []));
          target.value = "";
        }}
      />
      <Button look="main" onClick={() => input.current?.click()}>
        Choose {what}
      </Button>
      <p className="note">{note}</p>
    </section>
  );
}
