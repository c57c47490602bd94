/** The queues of document jobs, and the words that several files use of them. */

import { z } from "zod";
import { defineQueue } from "../../queue/definition.ts";

const payload = z.object({ job_id: z.uuid() });
/** Work that ends its process is not tried again for ever. */
const options = { maxAttempts: 5 };

export const inductionQueue = defineQueue("documents.induce", payload, options);
export const extractionQueue = defineQueue("documents.extract", payload, options);

export const queueOf = (kind: "induction" | "extraction") =>
  kind === "induction" ? inductionQueue : extractionQueue;

export const CANCELLED = "The job was cancelled.";
