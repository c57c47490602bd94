/** Uploads in parts that this browser has begun, kept across reloads: which file they are of, and as what. */

import { useSyncExternalStore } from "react";
import * as z from "zod/mini";

const unfinishedSchema = z.object({
  uploadId: z.string(),
  /** Whose it is. */
  organization: z.string(),
  /** Of the file, which the browser does not give back after a reload. */
  fileName: z.string(),
  size: z.number(),
  head: z.string(),
  /** What it is sent as. */
  name: z.string(),
  format: z.string(),
});
export type Unfinished = z.output<typeof unfinishedSchema>;

const KEY = "distillery.uploads";
const MOST = 50;

let known: readonly Unfinished[] | null = null;
const listeners = new Set<() => void>();

/** What else may have come under the key is left out. */
export function parsed(text: string | null): readonly Unfinished[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each: unknown) => {
    const read = unfinishedSchema.safeParse(each);
    return read.success ? [read.data] : [];
  });
}

function read(): readonly Unfinished[] {
  known ??= parsed(localStorage.getItem(KEY));
  return known;
}

function keep(next: readonly Unfinished[]): void {
  known = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // A full store keeps them for this visit alone.
  }
  for (const told of listeners) told();
}

export const rememberUnfinished = (one: Unfinished): void =>
  keep([one, ...read().filter(({ uploadId }) => uploadId !== one.uploadId)].slice(0, MOST));

export const forgetUnfinished = (uploadId: string): void =>
  keep(read().filter((each) => each.uploadId !== uploadId));

export const useUnfinished = (): readonly Unfinished[] =>
  useSyncExternalStore((told) => {
    listeners.add(told);
    return () => listeners.delete(told);
  }, read);

/** Why a file is not the one that an upload is of, in words; null where it is. */
export function notThatFile(
  { fileName, size, head }: Unfinished,
  file: { readonly name: string; readonly size: number; readonly head: string },
): string | null {
  if (file.name !== fileName) return `This file is named ${file.name}, and not ${fileName}.`;
  if (file.size !== size)
    return `This file has ${file.size} bytes, and the one before had ${size}.`;
  return file.head === head
    ? null
    : "This file begins otherwise than the one before: it was changed.";
}
