/** Uploads in parts that this browser has begun, kept across reloads: which file they are of, and as what. */

import * as z from "zod/mini";
import { keptList } from "../kept-list.ts";

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

const MOST = 50;
const list = keptList("distillery.uploads", unfinishedSchema);
export const { parsed } = list;

export const rememberUnfinished = (one: Unfinished): void =>
  list.keep(
    [one, ...list.read().filter(({ uploadId }) => uploadId !== one.uploadId)].slice(0, MOST),
  );

export const forgetUnfinished = (uploadId: string): void =>
  list.keep(list.read().filter((each) => each.uploadId !== uploadId));

export const useUnfinished = list.use;

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
