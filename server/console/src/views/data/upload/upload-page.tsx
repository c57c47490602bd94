/** Files become datasets: dropped or chosen, named, sent. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useSession } from "../../../api/session.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { DropZone } from "../../../ui/drop-zone.tsx";
import { size } from "../../../ui/numbers.ts";
import { Page } from "../../../ui/page.tsx";
import { type Chosen, ChosenList } from "./chosen-list.tsx";
import type { Format } from "./file-guess.ts";
import { headOf } from "./fingerprint.ts";
import { notThatFile, type Unfinished, useUnfinished } from "./unfinished.ts";
import { UnfinishedList } from "./unfinished-list.tsx";
import { UploadRow } from "./upload-row.tsx";
import { addUpload, currentUploads, whenUploadsChange } from "./uploads.ts";

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
  const drop = (gone: readonly Chosen[]): void =>
    setChosen((before) => before.filter((each) => !gone.includes(each)));
  return (
    <Page
      title="Upload tables"
      path={[{ to: "/data", label: "Data" }]}
      lead="Each file becomes a dataset: read once, profiled, and never changed after that."
    >
      <DropZone
        label="Choose files"
        onFiles={(files) => void choose(files)}
        accept={acceptedBy(formats)}
        note={`CSV, Parquet, Arrow, Feather or JSON lines, also with .gz or .zst${limit === null ? "" : `; up to ${size(limit)} a file`}.`}
      />
      <UnfinishedList unfinished={unfinished} onFile={goOn} />
      <ChosenList
        chosen={chosen}
        limit={limit}
        formats={formats}
        onDrop={drop}
        onSend={(one, as) => {
          addUpload({ file: one.file, ...as, organization, uploadId: null });
          drop([one]);
        }}
      />
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
