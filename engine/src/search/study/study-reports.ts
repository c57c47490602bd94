/** What the trials of a study report on their way, and whether that gives them up. */

import type { Pruner } from "./pruners.ts";

/** A value of a trial on its way: after an epoch, a round, a part of its data. */
export interface StudyReport {
  /** ≥ 0, in whatever the program counts. */
  readonly step: number;
  readonly value: number;
}

interface Curve {
  readonly reports: StudyReport[];
  readonly steps: number[];
  readonly losses: number[];
  isFinished: boolean;
}

export class StudyReports {
  readonly #pruner: Pruner | null;
  readonly #sign: number;
  /** By the number of the trial. */
  readonly #curves = new Map<number, Curve>();

  /** @param pruner null: all trials go on */
  constructor(pruner: Pruner | null, direction: "minimize" | "maximize") {
    this.#pruner = pruner;
    this.#sign = direction === "maximize" ? -1 : 1;
  }

  /** In the order of their steps; grows with what the trial reports. */
  of(trial: number): readonly StudyReport[] {
    return this.#curveOf(trial).reports;
  }

  /**
   * @param value any; only a finite number is kept
   * @throws RangeError for a step that does not rise
   */
  add(trial: number, step: number, value: number): void {
    const { reports, steps, losses } = this.#curveOf(trial);
    const last = steps.at(-1);
    if (!(Number.isFinite(step) && step >= 0 && step > (last ?? -1))) {
      const before = last === undefined ? "" : `, and its last one was ${last}`;
      throw new RangeError(
        `Trial ${trial} reported step ${step}; steps are rising numbers from 0 on${before}.`,
      );
    }
    if (!Number.isFinite(value)) return;
    reports.push({ step, value });
    steps.push(step);
    losses.push(this.#sign * value);
  }

  /** Whether a trial is given up by its last report. */
  givesUp(trial: number): boolean {
    if (this.#pruner === null) return false;
    const others = [...this.#curves].flatMap(([number, curve]) => (number === trial ? [] : curve));
    return this.#pruner(this.#curveOf(trial), others);
  }

  /** Of its last report; infinite where it has none. */
  lastLoss(trial: number): number {
    return this.#curveOf(trial).losses.at(-1) ?? Number.POSITIVE_INFINITY;
  }

  /** It has a value, which is more than its reports. */
  finish(trial: number): void {
    this.#curveOf(trial).isFinished = true;
  }

  #curveOf(trial: number): Curve {
    const known = this.#curves.get(trial);
    if (known !== undefined) return known;
    const curve: Curve = { reports: [], steps: [], losses: [], isFinished: false };
    this.#curves.set(trial, curve);
    return curve;
  }
}
