/** Files become datasets: dropped or chosen, named, sent. */

import { useQuery } from "@tanstack/react-query";
import { type DragEvent, useRef, useState, useSyncExternalStore } from "react";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { size } from "../../../ui/numbers.ts";
import { Page } from "../../../ui/page.tsx";
import { ChosenFile } from "./chosen-file.tsx";
import { UploadRow } from "./upload-row.tsx";
import { addUpload, currentUploads, whenUploadsChange } from "./uploads.ts";

const ACCEPTED = ".csv,.tsv,.txt,.parquet,.arrow,.arrows,.feather,.ipc,.ndjson,.jsonl,.json,.gz";

interface Chosen {
  readonly id: string;
  readonly file: File;
}

export function UploadPage() {
  const uploads = useSyncExternalStore(whenUploadsChange, currentUploads);
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const limit = useUploadLimit();
  const choose = (files: Iterable<File>): void => {
    // The browser's list is emptied when the next files are chosen.
    const more = Array.from(files, (file, at) => ({ id: `${Date.now()} ${at}`, file }));
    setChosen((before) => [...before, ...more]);
  };
  const drop = (id: string): void => setChosen((before) => before.filter((each) => each.id !== id));
  return (
    <Page
      title="Upload tables"
      path={[{ to: "/data", label: "Data" }]}
      lead="Each file becomes a dataset: read once, profiled, and never changed after that."
    >
      <DropZone onFiles={choose} limit={limit} />
      {chosen.map(({ id, file }) => (
        <ChosenFile
          key={id}
          file={file}
          limit={limit}
          onDrop={() => drop(id)}
          onSend={(parcel) => {
            addUpload(parcel);
            drop(id);
          }}
        />
      ))}
      {uploads.length > 0 && (
        <ul className="uploads" aria-label="Uploads">
          {uploads.toReversed().map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      <p className="note">
        The data lies in a database or an object store already? Make a dataset of a table or a query
        instead.
      </p>
      <ButtonLink to="/data">All datasets</ButtonLink>
    </Page>
  );
}

/** The most bytes of one file; null while unknown, or where the session may not know. */
function useUploadLimit(): number | null {
  const mayKnow = useScope("organization:read");
  const { data } = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => client.retention.usage.query({}, { signal }),
    enabled: mayKnow,
    staleTime: 60_000,
  });
  if (data === undefined) return null;
  const { dataset_bytes: own, total_bytes: all } = data.quotas;
  const rooms = [own, all].flatMap(({ used, limit }) =>
    limit === null ? [] : [Math.max(0, limit - used)],
  );
  return Math.min(data.max_upload_bytes, ...rooms);
}

interface DropZoneProps {
  readonly onFiles: (files: Iterable<File>) => void;
  readonly limit: number | null;
}

function DropZone({ onFiles, limit }: DropZoneProps) {
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
      aria-label="Choose files"
      className={isOver ? "drop-zone over" : "drop-zone"}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={dropped}
    >
      <p>
        <strong>Drop files here</strong>, or choose them.
      </p>
      <input
        ref={input}
        className="unseen"
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label="Files"
        tabIndex={-1}
        onChange={({ target }) => {
          onFiles(target.files ?? []);
          // So that the same file can be chosen again.
          target.value = "";
        }}
      />
      <Button look="main" onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <p className="note">
        CSV, Parquet, Arrow, Feather or JSON lines, also with .gz
        {limit !== null && `; up to ${size(limit)} a file`}.
      </p>
    </section>
  );
}
