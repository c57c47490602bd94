/** The queue of training runs, and the words that several files use of them. */

import { z } from "zod";
import { defineQueue } from "../queue/definition.ts";

export const trainingQueue = defineQueue("training.run", z.object({ job_id: z.uuid() }));

export const CANCELLED = "The job was cancelled.";
