/** What HTTP requests this process has answered, by the operation's route: as many series as there are routes. */

import type { Distribution, Family, Labels } from "./exposition.ts";

/** Seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

interface OfRoute {
  readonly labels: Labels;
  readonly statuses: Map<number, number>;
  readonly counts: number[];
  count: number;
  sum: number;
}

export interface AnsweredRequest {
  readonly method: string;
  /** As it is registered, such as `/v1/models/:model_id`; undefined where nothing is at the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

export class HttpRequests {
  readonly #routes = new Map<string, OfRoute>();

  add({ method, route = "none", status, seconds }: AnsweredRequest): void {
    // Of what is nowhere, callers choose the method.
    const labels = { method: route === "none" ? "any" : method, route };
    const key = `${labels.method} ${route}`;
    const known = this.#routes.get(key);
    const of = known ?? { labels, statuses: new Map(), counts: [], count: 0, sum: 0 };
    if (known === undefined) this.#routes.set(key, of);
    of.statuses.set(status, (of.statuses.get(status) ?? 0) + 1);
    const bound = BOUNDS.findIndex((each) => seconds <= each);
    if (bound >= 0) of.counts[bound] = (of.counts[bound] ?? 0) + 1;
    of.count++;
    of.sum += seconds;
  }

  families(): Family[] {
    const routes = [...this.#routes.values()];
    return [
      {
        name: "distillery_http_requests_total",
        help: "HTTP requests that this process has answered, by route and status.",
        type: "counter",
        samples: routes.flatMap(({ labels, statuses }) =>
          [...statuses].map(([status, count]) => [{ ...labels, status: String(status) }, count]),
        ),
      },
      {
        name: "distillery_http_request_duration_seconds",
        help: "From the request's head to the last byte of the answer.",
        type: "histogram",
        samples: routes.map((of) => [of.labels, distributionOf(of)]),
      },
    ];
  }
}

function distributionOf({ counts, count, sum }: OfRoute): Distribution {
  let below = 0;
  const cumulative = BOUNDS.map((bound, at): [number, number] => {
    below += counts[at] ?? 0;
    return [bound, below];
  });
  return { cumulative, count, sum };
}
