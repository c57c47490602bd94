/** Files become datasets: dropped or chosen, named, sent. */

import { useQuery } from "@tanstack/react-query";
import { type DragEvent, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useSession } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { size } from "../../../ui/numbers.ts";
import { Page } from "../../../ui/page.tsx";
import { ChosenFile } from "./chosen-file.tsx";
import type { Format } from "./file-guess.ts";
import { headOf } from "./fingerprint.ts";
import { notThatFile, type Unfinished, useUnfinished } from "./unfinished.ts";
import { UnfinishedList } from "./unfinished-list.tsx";
import { UploadRow } from "./upload-row.tsx";
import { addUpload, currentUploads, whenUploadsChange } from "./uploads.ts";

interface Chosen {
  readonly id: string;
  readonly file: File;
}

export function UploadPage() {
  const uploads = useSyncExternalStore(whenUploadsChange, currentUploads);
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const { limit, formats } = useUploadOptions();
  const { session } = useSession();
  const organization = session?.organization_id ?? "";
  const begun = useUnfinished();
  const unfinished = begun.filter(
    (one) =>
      one.organization === organization &&
      !uploads.some(({ uploadId }) => uploadId === one.uploadId),
  );
  const goOn = async (one: Unfinished, file: File): Promise<string | null> => {
    const fault = notThatFile(one, {
      ...{ name: file.name, size: file.size, head: await headOf(file) },
    });
    const format = formats.find((each) => each.format === one.format);
    if (fault !== null || !format)
      return fault ?? "The service does not take this format any more.";
    addUpload({ file, name: one.name, format, organization, uploadId: one.uploadId });
    return null;
  };
  const choose = async (files: Iterable<File>): Promise<void> => {
    // The browser's list is emptied when the next files are chosen.
    for (const [at, file] of Array.from(files).entries()) {
      const known = unfinished.find(({ fileName, size: bytes }) => {
        return fileName === file.name && bytes === file.size;
      });
      if (known && (await goOn(known, file)) === null) continue;
      setChosen((before) => [...before, { id: `${Date.now()} ${at}`, file }]);
    }
  };
  const drop = (id: string): void => setChosen((before) => before.filter((each) => each.id !== id));
  return (
    <Page
      title="Upload tables"
      path={[{ to: "/data", label: "Data" }]}
      lead="Each file becomes a dataset: read once, profiled, and never changed after that."
    >
      <DropZone
        onFiles={(files) => void choose(files)}
        limit={limit}
        accept={acceptedBy(formats)}
      />
      <UnfinishedList unfinished={unfinished} onFile={goOn} />
      {chosen.map(({ id, file }) => (
        <ChosenFile
          key={id}
          file={file}
          limit={limit}
          formats={formats}
          onDrop={() => drop(id)}
          onSend={(as) => {
            addUpload({ file, ...as, organization, uploadId: null });
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
        The data lies in a database or an object store already? Make a dataset of a{" "}
        <Link to="/data/catalog">table</Link> or a <Link to="/data/sql">query</Link> instead.
      </p>
      <ButtonLink to="/data">All datasets</ButtonLink>
    </Page>
  );
}

/** What the service takes; nothing is known at first. */
function useUploadOptions(): {
  readonly limit: number | null;
  readonly formats: readonly Format[];
} {
  const { data } = useQuery({
    queryKey: ["uploads", "options"],
    queryFn: ({ signal }) => client.uploads.options.query({}, { signal }),
    staleTime: 60_000,
  });
  return useMemo(
    () => ({
      limit: data?.max_bytes ?? null,
      formats: (data?.formats ?? []).map(({ format, media_types, endings }) => ({
        ...{ format, endings, mediaType: media_types[0] ?? "" },
      })),
    }),
    [data],
  );
}

/** A file of JSON may hold lines of it. */
const acceptedBy = (formats: readonly Format[]): string =>
  [...formats.flatMap(({ endings }) => endings), "json", "gz"].map((each) => `.${each}`).join(",");

interface DropZoneProps {
  readonly onFiles: (files: Iterable<File>) => void;
  readonly limit: number | null;
  /** Endings of file names. */
  readonly accept: string;
}

function DropZone({ onFiles, limit, accept }: DropZoneProps) {
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
        accept={accept}
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
