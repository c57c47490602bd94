/** Search spaces: plain, frozen, JSON-serialisable. Samplers know these and nothing of models. */

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

export type ParameterValue = string | number | boolean | null;

/** Conditional parameters exist only in trials where `when.parameter` took one of `when.values`. */
export interface Condition {
  readonly parameter: string;
  readonly values: readonly ParameterValue[];
}

export interface FloatParameter {
  readonly type: "float";
  readonly low: number;
  /** Inclusive. */
  readonly high: number;
  readonly log?: boolean;
  readonly step?: number;
  readonly when?: Condition;
}

export interface IntegerParameter {
  readonly type: "int";
  readonly low: number;
  /** Inclusive. */
  readonly high: number;
  readonly log?: boolean;
  readonly step?: number;
  readonly when?: Condition;
}

export interface CategoricalParameter {
  readonly type: "categorical";
  readonly choices: readonly ParameterValue[];
  readonly when?: Condition;
}

export type Parameter = FloatParameter | IntegerParameter | CategoricalParameter;

export type SearchSpace = Readonly<Record<string, Parameter>>;

export type Parameters = Readonly<Record<string, ParameterValue>>;
