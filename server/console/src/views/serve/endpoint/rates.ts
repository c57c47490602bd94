/** Requests a second, from counters that only grow and begin anew with the process that counts. */

export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Since the process started, as are the errors among them. */
  readonly requests: number;
  readonly errors: number;
}

export interface Rate {
  readonly at: number;
  /** A second. */
  readonly requests: number;
  readonly errors: number;
}

/** Samples that are kept: four minutes of one every two seconds. */
const KEPT = 120;

/** A counter that has fallen is another process's: what was counted before is no use. */
export function withSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  const isAnew = last !== undefined && (next.requests < last.requests || next.errors < last.errors);
  return [...(isAnew ? [] : samples.slice(1 - KEPT)), next];
}

/** Between each sample and the one before. */
export function ratesOf(samples: readonly Sample[]): readonly Rate[] {
  return samples.slice(1).flatMap((sample, at) => {
    const before = samples[at]!;
    const seconds = (sample.at - before.at) / 1000;
    if (seconds <= 0) return [];
    return [
      {
        at: sample.at,
        requests: (sample.requests - before.requests) / seconds,
        errors: (sample.errors - before.errors) / seconds,
      },
    ];
  });
}
