/** What is predicted once, in words, by what a run's rows are made of. */

export interface Words {
  readonly one: string;
  readonly many: string;
}

/** `rows` where each is one of the table; else by the kind of framing. */
export const ROW_WORDS: Readonly<Record<"rows" | "sequences" | "series", Words>> = {
  rows: { one: "row", many: "rows" },
  sequences: { one: "sequence", many: "sequences" },
  series: { one: "step", many: "steps" },
};
