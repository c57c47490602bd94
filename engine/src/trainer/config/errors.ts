/** Faults of a run's configuration and the two ways a run ends early. */

/**
 * The configuration asks for something that cannot be. `path` names the member, in the engine's
 * own (camelCase) names, e.g. `["metrics", 1]`.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string, cause?: unknown) {
    super(message, { cause });
    this.path = path;
  }
}

/** The run was cancelled through its abort signal. What was finished stays in its log. */
export class RunCancelledError extends Error {
  override readonly name = "RunCancelledError";
}

/** Every trial failed; the message holds the first reason. */
export class AllTrialsFailedError extends Error {
  override readonly name = "AllTrialsFailedError";
}
