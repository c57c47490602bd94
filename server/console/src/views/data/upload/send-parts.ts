/** A large file in parts: what has come through stays, whatever happens to the connection or the page. */

import { type Dataset, ServiceError } from "@distillery/client";
import { client } from "../../../api/client.ts";

type Remote = Awaited<ReturnType<typeof client.uploads.get.query>>;

/** A file from this size on goes in parts. */
export const PARTS_FROM_BYTES = 16 * 2 ** 20;

/** Of the service. */
const LONGEST_NAME = 1_000;

interface Sending {
  readonly file: File;
  readonly name: string;
  readonly mediaType: string;
  readonly encoding: string | undefined;
  /** Of an upload that was begun before; null = none was. */
  readonly uploadId: string | null;
  readonly signal: AbortSignal;
  readonly onBegun: (uploadId: string) => void;
  readonly onProgress: (sentBytes: number) => void;
  /** All of it has come; it is read now. */
  readonly onSent: () => void;
}

/** @throws {ServiceError} and what the signal says; called again, it goes on where it was */
export async function sendInParts(sending: Sending): Promise<Dataset> {
  const { file, signal, onBegun, onProgress, onSent } = sending;
  let remote: Remote = (await found(sending)) ?? (await begun(sending));
  onBegun(remote.upload_id);
  const path = `/v1/uploads/${remote.upload_id}`;
  while (remote.dataset_id === null && remote.received_bytes < file.size) {
    const from = remote.received_bytes;
    onProgress(from);
    const response = await client.send(
      `${path}/parts?offset=${from}`,
      file.slice(from, from + remote.part_bytes),
      {
        headers: { "content-type": "application/octet-stream" },
        onProgress: ({ sentBytes }) => onProgress(Math.min(file.size, from + sentBytes)),
        signal,
      },
    );
    remote = await response.json();
  }
  onSent();
  const response = await client.request(`${path}/complete`, {
    // Where its answer is lost, the reading goes on, and is not begun twice.
    headers: { "idempotency-key": `complete-${path}` },
    json: {},
    signal,
  });
  return response.json();
}

const begun = ({ file, name, mediaType, encoding, signal }: Sending): Promise<Remote> =>
  client.uploads.create.mutate(
    {
      ...{ name, bytes: file.size, media_type: mediaType },
      file_name: file.name.slice(-LONGEST_NAME),
      ...(encoding === undefined ? {} : { encoding }),
    },
    { signal },
  );

/** Null where none was begun, or it is there no more. */
async function found({ uploadId, signal }: Sending): Promise<Remote | null> {
  if (uploadId === null) return null;
  try {
    return await client.uploads.get.query({ upload_id: uploadId }, { signal });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}

/** Whether to go on after a while: no answer came, or it is being worked on. */
export const mayGoOn = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.isPassing || error.retryAfterMs !== null);
