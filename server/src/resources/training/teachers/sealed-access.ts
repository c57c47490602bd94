/**
 * What lets a job ask its teacher's URL, at rest: headers and the URL's query, either of which may
 * hold a secret, sealed for one job alone.
 */

import { TeacherError } from "@distillery/engine";
import { z } from "zod";
import { type Sealer, UnsealError } from "../../../platform/secrets/seal.ts";

type Headers = Readonly<Record<string, string>>;

export interface TeacherAccess {
  readonly headers: Headers;
  /** With its `?`; empty where the URL has none. */
  readonly query: string;
}

interface TeacherMembers {
  readonly teacher_predict_url?: string | null | undefined;
  readonly teacher_headers?: Headers | null | undefined;
}

interface Owner {
  readonly organizationId: string;
  readonly jobId: string;
}

const ownerOf = ({ organizationId, jobId }: Owner): readonly string[] => [
  organizationId,
  jobId,
  "teacher_headers",
];

/** Null where there is nothing to seal. */
export function sealAccess(sealer: Sealer, owner: Owner, request: TeacherMembers): string | null {
  const headers = request.teacher_headers ?? {};
  const query = URL.parse(request.teacher_predict_url ?? "")?.search ?? "";
  if (query === "" && Object.keys(headers).length === 0) return null;
  return sealer.seal(JSON.stringify({ headers, query }), ownerOf(owner));
}

/** The members as whoever looks at the job may see them: the URL without its query, names of headers. */
export function withoutSecrets({
  teacher_predict_url: text,
  teacher_headers: headers,
}: TeacherMembers) {
  const url = URL.parse(text ?? "");
  return {
    ...(url !== null && { teacher_predict_url: `${url.origin}${url.pathname}` }),
    teacher_headers:
      headers == null ? null : Object.fromEntries(Object.keys(headers).map((name) => [name, ""])),
  };
}

const headers = z.record(z.string(), z.string());
/** Jobs that a former version registered sealed their headers alone, and kept the URL whole. */
const schema = z.union([
  z.strictObject({ headers, query: z.string() }),
  headers.transform((given) => ({ headers: given, query: "" })),
]);

/** @throws TeacherError where it was sealed with a key that this service does not have */
export function openAccess(sealer: Sealer, owner: Owner, sealed: string | null): TeacherAccess {
  if (sealed === null) return { headers: {}, query: "" };
  try {
    return schema.parse(JSON.parse(sealer.open(sealed, ownerOf(owner))));
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new TeacherError(
      "What the teacher is asked with was sealed with a key that this service no longer has; start the run again.",
      error,
    );
  }
}
