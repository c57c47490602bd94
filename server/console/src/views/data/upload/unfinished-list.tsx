/** Uploads in parts that were begun before the page was loaded: the same file again, and they go on. */

import { ServiceError } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { percent, size } from "../../../ui/numbers.ts";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { forgetUnfinished, type Unfinished } from "./unfinished.ts";
import { removeRemote } from "./uploads.ts";

interface UnfinishedListProps {
  readonly unfinished: readonly Unfinished[];
  /** @returns why it is not the file, in words; null where it goes on */
  readonly onFile: (one: Unfinished, file: File) => Promise<string | null>;
}

export function UnfinishedList({ unfinished, onFile }: UnfinishedListProps) {
  if (unfinished.length === 0) return null;
  return (
    <Card title="Uploads to go on with">
      <p className="note">
        They were interrupted. Browsers forget which file it was: choose it again, and only what is
        missing is sent.
      </p>
      <ul className="uploads">
        {unfinished.map((one) => (
          <li key={one.uploadId}>
            <Row one={one} onFile={(file) => onFile(one, file)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface RowProps {
  readonly one: Unfinished;
  readonly onFile: (file: File) => Promise<string | null>;
}

function Row({ one, onFile }: RowProps) {
  const { uploadId, fileName, size: bytes } = one;
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ["uploads", uploadId],
    queryFn: ({ signal }) => client.uploads.get.query({ upload_id: uploadId }, { signal }),
    gcTime: 0,
  });
  const isGone = error instanceof ServiceError && error.status === 404;
  const choose = async (file: File | undefined): Promise<void> => {
    if (file) setFault(await onFile(file));
  };
  return (
    <>
      <p>
        <strong>
          <Text of={fileName} />
        </strong>{" "}
        <span className="note">{size(bytes)}</span>
      </p>
      {isGone ? (
        <p className="warnings">
          What had been sent is not there any more: it was given up, or too long ago.
        </p>
      ) : error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : (
        data && (
          <>
            <progress
              max={data.bytes}
              value={data.received_bytes}
              aria-label={`${fileName.slice(0, 100)} has been sent in part`}
            />
            <p className="note">
              {percent(data.received_bytes, data.bytes)} of {size(data.bytes)} was sent.
            </p>
          </>
        )
      )}
      {fault !== null && (
        <p className="fault" role="alert">
          <Text of={fault} most={400} />
        </p>
      )}
      <input
        ref={input}
        className="unseen"
        type="file"
        aria-label={`The file ${fileName.slice(0, 100)}`}
        tabIndex={-1}
        onChange={({ target }) => {
          void choose(target.files?.[0]);
          target.value = "";
        }}
      />
      <div className="actions">
        {isGone ? (
          <Button onClick={() => forgetUnfinished(uploadId)}>Remove from this list</Button>
        ) : (
          <>
            <Button onClick={() => input.current?.click()}>Choose the file again</Button>
            <Button look="danger" onClick={() => void removeRemote(uploadId)}>
              Give it up
            </Button>
          </>
        )}
      </div>
    </>
  );
}
