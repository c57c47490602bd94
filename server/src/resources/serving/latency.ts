/** Latencies in buckets whose bounds grow by an eighth of a doubling: quantiles are within 9 %. */

const FIRST_MS = 0.05;
const STEPS = 8;
/** The last bound is about 35 minutes. */
const BUCKETS = 26 * STEPS;

export interface LatencySummary {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** In seconds. */
export interface LatencyDistribution {
  readonly cumulative: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
}

export class LatencyHistogram {
  readonly #counts = new Float64Array(BUCKETS + 1);
  #count = 0;
  #sum = 0;
  #max = 0;

  /** @param ms ≥ 0 */
  add(ms: number): void {
    const bucket = Math.ceil(Math.log2(Math.max(ms, FIRST_MS) / FIRST_MS) * STEPS);
    this.#counts[Math.min(bucket, BUCKETS)]!++;
    this.#count++;
    this.#sum += ms;
    this.#max = Math.max(this.#max, ms);
  }

  /** At most each of the bounds that lie a doubling apart, in seconds; with the number and sum of all. */
  distribution(): LatencyDistribution {
    const cumulative: [number, number][] = [];
    let below = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      below += count;
      if (bucket % STEPS === 0 && bucket < BUCKETS) {
        cumulative.push([(FIRST_MS * 2 ** (bucket / STEPS)) / 1000, below]);
      }
    }
    return { cumulative, count: this.#count, sum: this.#sum / 1000 };
  }

  /** In milliseconds; null where nothing was added. */
  summary(): LatencySummary | null {
    if (this.#count === 0) return null;
    return {
      mean: this.#sum / this.#count,
      p50: this.#quantile(0.5),
      p90: this.#quantile(0.9),
      p95: this.#quantile(0.95),
      p99: this.#quantile(0.99),
      max: this.#max,
    };
  }

  /** The upper bound of the bucket that holds it, or the largest latency where that is less. */
  #quantile(share: number): number {
    let left = Math.ceil(share * this.#count);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left > 0) continue;
      return bucket === BUCKETS ? this.#max : Math.min(FIRST_MS * 2 ** (bucket / STEPS), this.#max);
    }
    return this.#max;
  }
}
