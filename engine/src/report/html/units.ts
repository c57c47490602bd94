/** What the rows of a run are called, and what they were held out in. */

import { taskType } from "../../tasks/index.ts";
import { ROW_WORDS, type Words } from "../../tasks/row-words.ts";
import type { RunReport } from "../document.ts";

interface Units {
  /** What is predicted once. */
  readonly row: Words;
  /** What is held out together. */
  readonly fold: Words;
  readonly heldOut: string;
}

const FOLD: Words = { one: "fold", many: "folds" };

const ROWS: Units = {
  row: ROW_WORDS.rows,
  fold: FOLD,
  heldOut: "Every row was predicted by members that had not learned from it.",
};

const FRAMED: Readonly<Record<"sequences" | "series", Units>> = {
  sequences: {
    row: ROW_WORDS.sequences,
    fold: FOLD,
    heldOut: "Every sequence was predicted by members that had not learned from it.",
  },
  series: {
    row: ROW_WORDS.series,
    fold: { one: "window", many: "windows" },
    heldOut: "Every step was forecast by members that knew only what lies before its window.",
  },
};

export function unitsOf({ task }: Pick<RunReport["run"], "task">): Units {
  const { framing } = taskType(task);
  return framing === null ? ROWS : FRAMED[framing.kind];
}
