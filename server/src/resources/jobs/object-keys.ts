/** Where what jobs keep lies in the object store. */

import { ownerPrefix } from "../../platform/objects/holds.ts";
import type { JobRow } from "./job.ts";
import type { JobArea } from "./kind.ts";

/** `file` empty = the prefix of all that the job keeps. */
export const jobKey = (
  { folder }: JobArea,
  job: Pick<JobRow, "id" | "organization_id">,
  file: string,
): string => ownerPrefix(job.organization_id, folder, job.id) + file;
