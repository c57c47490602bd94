/** Headers for a teacher's URL at rest: sealed for one job alone. */

import { TeacherError } from "@distillery/engine";
import { z } from "zod";
import { type Sealer, UnsealError } from "../../secrets/seal.ts";

export type Headers = Readonly<Record<string, string>>;

interface Owner {
  readonly organizationId: string;
  readonly jobId: string;
}

const ownerOf = ({ organizationId, jobId }: Owner): readonly string[] => [
  organizationId,
  jobId,
  "teacher_headers",
];

/** Null where there are none. */
export function sealHeaders(
  sealer: Sealer,
  owner: Owner,
  headers: Headers | null | undefined,
): string | null {
  if (headers == null || Object.keys(headers).length === 0) return null;
  return sealer.seal(JSON.stringify(headers), ownerOf(owner));
}

/** The names, for whoever looks at the job. */
export function withoutValues(headers: Headers | null | undefined): Record<string, string> | null {
  return headers == null
    ? null
    : Object.fromEntries(Object.keys(headers).map((name) => [name, ""]));
}

const schema = z.record(z.string(), z.string());

/** @throws TeacherError where they were sealed with a key that this service does not have */
export function openHeaders(sealer: Sealer, owner: Owner, sealed: string | null): Headers {
  if (sealed === null) return {};
  try {
    return schema.parse(JSON.parse(sealer.open(sealed, ownerOf(owner))));
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new TeacherError(
      "The headers of the teacher were sealed with a key that this service no longer has; start the run again.",
      error,
    );
  }
}
