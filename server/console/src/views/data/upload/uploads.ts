/**
 * Files on their way to the service, one after the other. They belong to the page and not to the view:
 * who looks at something else meanwhile finds them again. A file whose connection was lost is sent
 * again, under the same key, so that it is registered once whatever had come through; a large one goes in parts,
 * and goes on where it was, after a reload too.
 */

import type { Dataset } from "@distillery/client";
import { client } from "../../../api/client.ts";
import { queryClient } from "../../../api/queries.ts";
import type { Format } from "./file-guess.ts";
import { headOf } from "./fingerprint.ts";
import { mayGoOn, PARTS_FROM_BYTES, sendInParts } from "./send-parts.ts";
import { forgetUnfinished, rememberUnfinished } from "./unfinished.ts";

/** What is sent, and as what. */
export interface Parcel {
  readonly file: File;
  readonly name: string;
  readonly format: Format;
  /** Of text, as its sender says; undefined = the service finds it out. */
  readonly encoding?: string | undefined;
  /** Who sends it. */
  readonly organization: string;
  /** Of an upload in parts that was begun before, to go on with; null = none was. */
  readonly uploadId: string | null;
}

type State =
  | { readonly step: "waiting" }
  | {
      readonly step: "sending";
      readonly sentBytes: number;
      readonly startedAt: number;
      /** What had come through before that. */
      readonly fromBytes: number;
    }
  | { readonly step: "paused" }
  /** All has been sent; the service reads the table. */
  | { readonly step: "reading" }
  /** The connection was lost; it is tried again at `againAt`, milliseconds since 1970. */
  | { readonly step: "interrupted"; readonly againAt: number; readonly error: unknown }
  | { readonly step: "done"; readonly dataset: Dataset }
  | { readonly step: "failed"; readonly error: unknown }
  | { readonly step: "cancelled" };

export interface Upload extends Parcel {
  readonly id: number;
  readonly state: State;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();
const aborts = new Map<number, AbortController>();
let isBusy = false;
let last = 0;

export const currentUploads = (): readonly Upload[] => uploads;

export function whenUploadsChange(told: () => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

export function addUpload(parcel: Parcel): void {
  last += 1;
  change([...uploads, { ...parcel, id: last, state: { step: "waiting" } }]);
  void work();
}

/** Stops it where it is; nothing of it is kept. */
export function cancelUpload(id: number): void {
  const upload = uploads.find((each) => each.id === id);
  setState(id, { step: "cancelled" });
  aborts.get(id)?.abort();
  forgetRemote(id);
  setUploadId(id, null);
  if (upload?.uploadId) void removeRemote(upload.uploadId);
}

/** Stops one in parts; what has come through stays. */
export function pauseUpload(id: number): void {
  setState(id, { step: "paused" });
  aborts.get(id)?.abort();
}

/** What came of an upload in parts goes from the service; where that fails, it goes there by its age. */
export async function removeRemote(uploadId: string): Promise<void> {
  forgetUnfinished(uploadId);
  await client.uploads.delete.mutate({ upload_id: uploadId }).catch(() => undefined);
}

function forgetRemote(id: number): void {
  const { uploadId } = uploads.find((each) => each.id === id) ?? { uploadId: null };
  if (uploadId !== null) forgetUnfinished(uploadId);
}

function setUploadId(id: number, uploadId: string | null): void {
  change(uploads.map((upload) => (upload.id === id ? { ...upload, uploadId } : upload)));
}

/** A paused one where it was; a failed or cancelled one too, where parts of it are there. */
export function sendAgain(id: number): void {
  setState(id, { step: "waiting" });
  void work();
}

export function forgetUpload(id: number): void {
  const upload = uploads.find((each) => each.id === id);
  // What could not be read is of no use there either.
  if (upload?.state.step === "failed" && upload.uploadId) void removeRemote(upload.uploadId);
  change(uploads.filter((upload) => upload.id !== id));
}

const isUnderWay = ({ state: { step } }: Upload): boolean =>
  step === "sending" || step === "reading" || step === "interrupted" || step === "waiting";

globalThis.addEventListener?.("beforeunload", (event) => {
  if (uploads.some(isUnderWay)) event.preventDefault();
});

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const told of listeners) told();
}

function setState(id: number, state: State): void {
  change(uploads.map((upload) => (upload.id === id ? { ...upload, state } : upload)));
}

async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  try {
    for (;;) {
      const next = uploads.find(({ state }) => state.step === "waiting");
      if (next === undefined) return;
      await send(next);
    }
  } finally {
    isBusy = false;
  }
}

/** Until it is registered, refused, paused or cancelled. */
async function send({ id }: Upload): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  aborts.set(id, abort);
  const idempotencyKey = newKey();
  let pauseMs = FIRST_PAUSE_MS;
  try {
    for (;;) {
      const upload = uploads.find((each) => each.id === id);
      if (upload === undefined || signal.aborted) return;
      try {
        const dataset = await sendOnce(upload, idempotencyKey, signal, () => {
          pauseMs = FIRST_PAUSE_MS;
        });
        forgetRemote(id);
        setState(id, { step: "done", dataset });
        await queryClient.invalidateQueries({ queryKey: ["datasets"] });
        return;
      } catch (error) {
        // Whoever stopped it has said what it is now.
        if (signal.aborted) return;
        if (!mayGoOn(error)) return setState(id, { step: "failed", error });
        setState(id, { step: "interrupted", againAt: Date.now() + pauseMs, error });
        await passed(Math.max(pauseMs, error.retryAfterMs ?? 0), signal);
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      }
    }
  } finally {
    aborts.delete(id);
  }
}

/** @param onSign called when something of it went through */
async function sendOnce(
  { id, file, name, format, encoding, uploadId }: Upload,
  idempotencyKey: string,
  signal: AbortSignal,
  onSign: () => void,
): Promise<Dataset> {
  const startedAt = Date.now();
  let from: number | null = null;
  const onProgress = (sentBytes: number): void => {
    if (signal.aborted) return;
    from ??= sentBytes;
    if (sentBytes > from) onSign();
    setState(id, { step: "sending", sentBytes, startedAt, fromBytes: from });
  };
  const { mediaType } = format;
  if (file.size >= PARTS_FROM_BYTES) {
    const head = await headOf(file);
    return sendInParts({
      ...{ file, name, mediaType, encoding, uploadId, signal, onProgress },
      onBegun(begun) {
        setUploadId(id, begun);
        const { organization } = uploads.find((each) => each.id === id) ?? { organization: "" };
        rememberUnfinished({
          ...{ uploadId: begun, organization, fileName: file.name, size: file.size, head },
          ...{ name, format: format.format },
        });
      },
      onSent: () => setState(id, { step: "reading" }),
    });
  }
  onProgress(0);
  return client.uploadDataset(file, {
    ...{ name, idempotencyKey, signal, mediaType, encoding },
    onProgress({ sentBytes }) {
      if (signal.aborted) return;
      if (sentBytes >= file.size) setState(id, { step: "reading" });
      else onProgress(sentBytes);
    },
  });
}

/** Of 128 random bits; `randomUUID` is not there where the console is visited by http from afar. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** A pause, which ends early where the connection comes back or the upload is cancelled. */
function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
