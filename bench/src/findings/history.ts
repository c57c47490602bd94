/** What earlier benches on the same machine found: a line of JSON a finding, the newest last. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Finding } from "./findings.ts";
import { describeMachine, type Machine } from "./machine.ts";

/** A ratio that has fallen below this share of the last one is marked. */
const WORSE_SHARE = 0.9;

const lineSchema = z.object({
  machine: z.string(),
  quick: z.boolean(),
  date: z.string(),
  commit: z.string().nullable(),
  part: z.string(),
  what: z.string(),
  against: z.string(),
  ratio: z.number(),
});

export interface Measured {
  readonly machine: Machine;
  /** Small sizes: they are not held beside whole ones. */
  readonly quick: boolean;
  /** ISO 8601. */
  readonly date: string;
  readonly commit: string | null;
}

export interface Change {
  readonly last: number;
  readonly worse: boolean;
}

export class History {
  readonly #path: string;
  readonly #last = new Map<string, number>();

  /** @throws where the file is none of this */
  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) return;
    for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
      if (line === "") continue;
      const read = lineSchema.safeParse(asJson(line));
      if (!read.success) throw new Error(`${path}, line ${index + 1}, is no finding of a bench.`);
      const { machine, quick, ratio, ...finding } = read.data;
      this.#last.set(keyOf(machine, quick, finding), ratio);
    }
  }

  /** How a ratio stands beside the last one of the same machine and size; null where there is none. */
  changeOf({ machine, quick }: Measured, finding: Finding): Change | null {
    const { part, what, against, ratio } = finding;
    if (against === null || ratio === null) return null;
    const last = this.#last.get(keyOf(describeMachine(machine), quick, { part, what, against }));
    return last === undefined ? null : { last, worse: ratio < WORSE_SHARE * last };
  }

  add({ machine, quick, date, commit }: Measured, findings: readonly Finding[]): void {
    const lines = findings.flatMap(({ part, what, against, ratio }) => {
      if (against === null || ratio === null) return [];
      const where = { machine: describeMachine(machine), quick, date, commit };
      return [`${JSON.stringify({ ...where, part, what, against, ratio })}\n`];
    });
    if (lines.length === 0) return;
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, lines.join(""));
  }
}

function keyOf(
  machine: string,
  quick: boolean,
  {
    part,
    what,
    against,
  }: { readonly part: string; readonly what: string; readonly against: string },
): string {
  return JSON.stringify([machine, quick, part, what, against]);
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
