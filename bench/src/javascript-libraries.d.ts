/** What the comparisons use of libraries that carry no usable types. */

declare module "ml-random-forest" {
  class RandomForestRegression {
    constructor(options: {
      readonly seed: number;
      readonly nEstimators: number;
      readonly maxFeatures: number;
      readonly replacement: boolean;
      readonly useSampleBagging: boolean;
      readonly noOOB: boolean;
      readonly treeOptions: { readonly minNumSamples: number };
    });
    train(rows: number[][], target: number[]): void;
    predict(rows: number[][]): number[];
  }
  const library: { readonly RandomForestRegression: typeof RandomForestRegression };
  export default library;
}

declare module "ml-cart" {
  class DecisionTreeRegression {
    constructor(options: { readonly minNumSamples: number });
    train(rows: number[][], target: number[]): void;
    predict(rows: number[][]): Iterable<number>;
  }
  const library: { readonly DecisionTreeRegression: typeof DecisionTreeRegression };
  export default library;
}

declare module "autocannon" {
  interface Result {
    readonly non2xx: number;
    readonly errors: number;
    /** Seconds. */
    readonly duration: number;
    readonly requests: { readonly total: number };
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  function autocannon(options: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
  }): Promise<Result>;
  export default autocannon;
}
