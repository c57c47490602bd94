/**
 * Files on their way to the service, one after the other. They belong to the page and not to the view:
 * who looks at something else meanwhile finds them again. A file whose connection was lost is sent
 * again, under the same key, so that it is registered once whatever had come through.
 */

import { type Dataset, ServiceError } from "@distillery/client";
import { client } from "../../../api/client.ts";
import { queryClient } from "../../../api/queries.ts";
import { FORMATS, type Format } from "./file-guess.ts";

/** What is sent, and as what. */
export interface Parcel {
  readonly file: File;
  readonly name: string;
  readonly format: Format;
}

type State =
  | { readonly step: "waiting" }
  | { readonly step: "sending"; readonly sentBytes: number; readonly startedAt: number }
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
  setState(id, { step: "cancelled" });
  aborts.get(id)?.abort();
}

/** A failed or cancelled one, from its beginning. */
export function sendAgain(id: number): void {
  setState(id, { step: "waiting" });
  void work();
}

export function forgetUpload(id: number): void {
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

/** Until it is registered, refused or cancelled. */
async function send({ id, file, name, format }: Upload): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  aborts.set(id, abort);
  const idempotencyKey = newKey();
  let pauseMs = FIRST_PAUSE_MS;
  try {
    for (;;) {
      try {
        const startedAt = Date.now();
        setState(id, { step: "sending", sentBytes: 0, startedAt });
        const dataset = await client.uploadDataset(file, {
          name,
          idempotencyKey,
          signal,
          mediaType: FORMATS[format].mediaType,
          onProgress({ sentBytes }) {
            if (signal.aborted) return;
            pauseMs = FIRST_PAUSE_MS;
            const isSent = sentBytes >= file.size;
            setState(id, isSent ? { step: "reading" } : { step: "sending", sentBytes, startedAt });
          },
        });
        setState(id, { step: "done", dataset });
        await queryClient.invalidateQueries({ queryKey: ["datasets"] });
        return;
      } catch (error) {
        if (signal.aborted) return setState(id, { step: "cancelled" });
        if (!(error instanceof ServiceError && error.isPassing)) {
          return setState(id, { step: "failed", error });
        }
        setState(id, { step: "interrupted", againAt: Date.now() + pauseMs, error });
        await passed(Math.max(pauseMs, error.retryAfterMs ?? 0), signal);
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
        if (signal.aborted) return setState(id, { step: "cancelled" });
      }
    }
  } finally {
    aborts.delete(id);
  }
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
