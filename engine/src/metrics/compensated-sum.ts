/**
 * Summation in one defined order with a running compensation, so that a score is the same number
 * on every machine and does not drift with the count of rows.
 *
 * Source: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen",
 * ZAMM 54 (1974), the improved Kahan–Babuška algorithm.
 */
export class CompensatedSum {
  #sum = 0;
  #compensation = 0;

  add(term: number): void {
    const next = this.#sum + term;
    this.#compensation +=
      Math.abs(this.#sum) >= Math.abs(term) ? this.#sum - next + term : term - next + this.#sum;
    this.#sum = next;
  }

  get value(): number {
    // An infinite or NaN sum has a NaN compensation, which would hide the infinity.
    return Number.isFinite(this.#sum) ? this.#sum + this.#compensation : this.#sum;
  }
}
