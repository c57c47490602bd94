/** Requests a second of several servers, alternating in short rounds, so that a slow moment of the
 * machine meets them all. */

import autocannon from "autocannon";
import { median } from "../text-table.ts";

export interface Contender {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface Load {
  readonly contender: Contender;
  /** Requests a second, a round each. */
  readonly rates: readonly number[];
  /** Median of the rounds' ratios to the first contender. */
  readonly ratio: number;
  /** 99th percentile of the latency, milliseconds, median of the rounds. */
  readonly p99: number;
}

/** @throws where a server answers anything but 2xx */
export async function compareLoad(
  contenders: readonly Contender[],
  { rounds, seconds, connections }: LoadOptions,
): Promise<Load[]> {
  const rates = contenders.map((): number[] => []);
  const p99s = contenders.map((): number[] => []);
  // One round more, to warm up.
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round) % contenders.length;
      const { name, url, headers = {} } = contenders[index];
      const result = await autocannon({ url, headers, connections, duration: seconds });
      if (result.non2xx > 0 || result.errors > 0) {
        throw new Error(`${name}: ${result.non2xx} refusals and ${result.errors} errors at ${url}`);
      }
      if (round === 0) continue;
      rates[index].push(result.requests.total / result.duration);
      p99s[index].push(result.latency.p99);
    }
  }
  return contenders.map((contender, index) => ({
    contender,
    rates: rates[index],
    ratio: median(rates[index].map((rate, round) => rate / rates[0][round])),
    p99: median(p99s[index]),
  }));
}
