/** The module that the thread of prediction logs loads. */

import { scoreAnswers as scores, task } from "@distillery/engine";
import { labelledRows as labelled } from "./labelled-rows.ts";
import { writeLog as written } from "./write-log.ts";

export const writeLog = task(written);
export const labelledRows = task(labelled);
export const scoreAnswers = task(scores);
