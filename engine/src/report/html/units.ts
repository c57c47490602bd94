/** What the rows of a run are called, and what they were held out in. */

import { taskType } from "../../tasks/index.ts";
import type { RunReport } from "../document.ts";

export interface Words {
  readonly one: string;
  readonly many: string;
}

interface Units {
  /** What is predicted once. */
  readonly row: Words;
  /** What is held out together. */
  readonly fold: Words;
  readonly heldOut: string;
}

const FOLD: Words = { one: "fold", many: "folds" };

const ROWS: Units = {
  row: { one: "row", many: "rows" },
  fold: FOLD,
  heldOut: "Every row was predicted by members that had not learned from it.",
};

const FRAMED: Readonly<Record<"sequences" | "series", Units>> = {
  sequences: {
    row: { one: "sequence", many: "sequences" },
    fold: FOLD,
    heldOut: "Every sequence was predicted by members that had not learned from it.",
  },
  series: {
    row: { one: "step", many: "steps" },
    fold: { one: "window", many: "windows" },
    heldOut: "Every step was forecast by members that knew only what lies before its window.",
  },
};

export function unitsOf({ task }: Pick<RunReport["run"], "task">): Units {
  const { framing } = taskType(task);
  return framing === null ? ROWS : FRAMED[framing.kind];
}
