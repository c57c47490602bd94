/**
 * What endpoints answered, counted in this process: the one place that is told of every request that an
 * endpoint has taken, and of everything that its shadow model has done.
 */

import type { Services } from "../../api/services.ts";
import type { Comparison } from "../../platform/compute/compare-answers.ts";
import { type LatencyDistribution, LatencyHistogram, type LatencySummary } from "./latency.ts";

/** Of an endpoint, that are counted: twice as many as a split has, so that those of the last one stay. */
const MOST_MODELS = 64;

/** One request, once its answer is known. */
export interface ServedRequest {
  readonly organizationId: string;
  readonly endpointId: string;
  /** The model that answered, or was to; null where there was none. */
  readonly modelId: string | null;
  readonly route: "predict" | "explain" | "infer";
  /** Predictions or explanations in the answer. */
  readonly rows: number;
  /** From the request's body being there to the answer being there. */
  readonly ms: number;
  readonly status: number;
}

/** What became of one request for the shadow model. */
export interface ShadowedRequest {
  readonly organizationId: string;
  readonly endpointId: string;
  /** As the endpoint names it. */
  readonly reference: string;
  readonly outcome:
    | { readonly kind: "compared"; readonly comparison: Comparison; readonly ms: number }
    | { readonly kind: "failed" }
    /** Too many were waiting. */
    | { readonly kind: "dropped" };
}

export interface ModelCounters {
  readonly modelId: string | null;
  readonly requests: number;
  /** Answered 4xx and 5xx. */
  readonly refused: number;
  readonly failed: number;
  readonly rows: number;
  /** Of the requests that succeeded; null where there were none. */
  readonly latency: LatencySummary | null;
  readonly distribution: LatencyDistribution;
}

export interface ShadowCounters extends Omit<Comparison, "unpaired"> {
  readonly reference: string;
  readonly compared: number;
  readonly failed: number;
  readonly dropped: number;
  readonly unpaired: number;
  readonly latency: LatencySummary | null;
}

class OfModel {
  readonly #modelId: string | null;
  readonly #latency = new LatencyHistogram();
  #requests = 0;
  #refused = 0;
  #failed = 0;
  #rows = 0;

  constructor(modelId: string | null) {
    this.#modelId = modelId;
  }

  add({ status, rows, ms }: ServedRequest): void {
    this.#requests++;
    if (status >= 500) this.#failed++;
    else if (status >= 400) this.#refused++;
    else {
      this.#rows += rows;
      this.#latency.add(ms);
    }
  }

  counters(): ModelCounters {
    return {
      modelId: this.#modelId,
      requests: this.#requests,
      refused: this.#refused,
      failed: this.#failed,
      rows: this.#rows,
      latency: this.#latency.summary(),
      distribution: this.#latency.distribution(),
    };
  }
}

class OfShadow {
  readonly #reference: string;
  readonly #latency = new LatencyHistogram();
  readonly #counts = { compared: 0, failed: 0, dropped: 0 };
  #sum: Comparison = {
    rows: 0,
    unpaired: 0,
    differing: 0,
    summedDifference: 0,
    largestDifference: 0,
  };

  constructor(reference: string) {
    this.#reference = reference;
  }

  add({ outcome }: ShadowedRequest): void {
    this.#counts[outcome.kind]++;
    if (outcome.kind !== "compared") return;
    const { comparison, ms } = outcome;
    this.#latency.add(ms);
    this.#sum = {
      rows: this.#sum.rows + comparison.rows,
      unpaired: this.#sum.unpaired + comparison.unpaired,
      differing: this.#sum.differing + comparison.differing,
      summedDifference: this.#sum.summedDifference + comparison.summedDifference,
      largestDifference: Math.max(this.#sum.largestDifference, comparison.largestDifference),
    };
  }

  counters(): ShadowCounters {
    return {
      reference: this.#reference,
      ...this.#counts,
      ...this.#sum,
      latency: this.#latency.summary(),
    };
  }
}

interface OfEndpoint {
  readonly models: Map<string | null, OfModel>;
  readonly shadows: Map<string, OfShadow>;
}

export class Observations {
  /** When counting began. */
  readonly since = new Date();
  readonly #endpoints = new Map<string, OfEndpoint>();

  served(request: ServedRequest): void {
    const { models } = this.#of(request.endpointId);
    const { modelId } = request;
    latest(models, modelId, () => new OfModel(modelId)).add(request);
  }

  shadowed(request: ShadowedRequest): void {
    const { shadows } = this.#of(request.endpointId);
    const { reference } = request;
    latest(shadows, reference, () => new OfShadow(reference)).add(request);
  }

  countersOf(endpointId: string): {
    readonly models: readonly ModelCounters[];
    readonly shadows: readonly ShadowCounters[];
  } {
    const of = this.#endpoints.get(endpointId);
    return {
      models: [...(of?.models.values() ?? [])].map((model) => model.counters()),
      shadows: [...(of?.shadows.values() ?? [])].map((shadow) => shadow.counters()),
    };
  }

  forget(endpointId: string): void {
    this.#endpoints.delete(endpointId);
  }

  #of(endpointId: string): OfEndpoint {
    const known = this.#endpoints.get(endpointId);
    if (known) return known;
    const made = { models: new Map(), shadows: new Map() };
    this.#endpoints.set(endpointId, made);
    return made;
  }
}

/** As it is kept, or made; it is the latest then, and the one that was not used for longest may go. */
function latest<Key, Value>(kept: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = kept.get(key) ?? make();
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > MOST_MODELS) {
    const [oldest] = kept.keys();
    kept.delete(oldest!);
  }
  return value;
}

const instances = new WeakMap<Services, Observations>();

/** The one instance of a process's services. */
export function observations(services: Services): Observations {
  const instance = instances.get(services) ?? new Observations();
  instances.set(services, instance);
  return instance;
}
