/**
 * A search space, a parameter or a strategy that cannot be. `parameter` names the parameter where
 * one is at fault; the message says what it was given and what is legal.
 */
export class SearchSpaceError extends Error {
  override readonly name = "SearchSpaceError";
  readonly parameter: string | undefined;

  constructor(message: string, parameter?: string) {
    super(message);
    this.parameter = parameter;
  }
}

/** A search strategy was asked for that nobody has written; the message lists those that exist. */
export class UnknownSamplerError extends Error {
  override readonly name = "UnknownSamplerError";
  readonly known: readonly string[];

  constructor(sampler: string, known: readonly string[]) {
    super(`Unknown search strategy "${sampler}". Known strategies: ${known.join(", ")}.`);
    this.known = known;
  }
}
