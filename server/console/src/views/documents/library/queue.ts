/** Files on their way to the service, a few at a time. */

export type Upload =
  | { readonly id: number; readonly file: File; readonly state: "waiting" }
  | {
      readonly id: number;
      readonly file: File;
      readonly state: "sending";
      /** 0 to 1; 1 while the service reads it. */
      readonly sent: number;
    }
  | {
      readonly id: number;
      readonly file: File;
      readonly state: "done";
      readonly documentId: string;
    }
  | { readonly id: number; readonly file: File; readonly state: "failed"; readonly why: string };

/** At once; the service reads each before it answers. */
const LANES = 2;
/** The service takes no document that is larger, so that none is sent in vain. */
const MOST_MEBIBYTES = 50;

/** What to send next: as many as lanes are free. */
export function nextOf(uploads: readonly Upload[]): readonly Upload[] {
  const sending = uploads.filter(({ state }) => state === "sending").length;
  return uploads.filter(({ state }) => state === "waiting").slice(0, Math.max(0, LANES - sending));
}

/** Files that were chosen or dropped, behind those that are there. @param firstId is theirs, and the following */
export function enqueued(
  uploads: readonly Upload[],
  files: readonly File[],
  firstId: number,
): readonly Upload[] {
  const added = files.map((file, at): Upload => {
    const id = firstId + at;
    if (file.size > MOST_MEBIBYTES * 2 ** 20) {
      return { id, file, state: "failed", why: `A document has ${MOST_MEBIBYTES} MiB at most.` };
    }
    if (file.size === 0) return { id, file, state: "failed", why: "The file is empty." };
    return { id, file, state: "waiting" };
  });
  return [...uploads, ...added];
}

export const isOver = (uploads: readonly Upload[]): boolean =>
  uploads.every(({ state }) => state === "done" || state === "failed");

/** How much of all is done, 0 to 1, each file by its bytes. */
export function doneOf(uploads: readonly Upload[]): number {
  const all = uploads.reduce((sum, { file }) => sum + file.size, 0);
  if (all === 0) return 1;
  return uploads.reduce((sum, each) => sum + each.file.size * shareOf(each), 0) / all;
}

function shareOf(upload: Upload): number {
  if (upload.state === "sending") return upload.sent;
  return upload.state === "waiting" ? 0 : 1;
}
