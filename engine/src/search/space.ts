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

/** A value of a parameter. */
export type ParameterValue = string | number | boolean | null;

/** Conditional parameters exist only in trials where `when.parameter` took one of `when.values`. */
export interface Condition {
  readonly parameter: string;
  readonly values: readonly ParameterValue[];
}

/** Real numbers; with a step, those of a grid from `low` on. */
export interface FloatParameter {
  readonly type: "float";
  readonly low: number;
  /** Inclusive. */
  readonly high: number;
  readonly log?: boolean;
  readonly step?: number;
  readonly when?: Condition;
}

/** Whole numbers. */
export interface IntegerParameter {
  readonly type: "int";
  readonly low: number;
  /** Inclusive. */
  readonly high: number;
  readonly log?: boolean;
  readonly step?: number;
  readonly when?: Condition;
}

/** One of a list, without an order. */
export interface CategoricalParameter {
  readonly type: "categorical";
  readonly choices: readonly ParameterValue[];
  readonly when?: Condition;
}

/** What one parameter may be. */
export type Parameter = FloatParameter | IntegerParameter | CategoricalParameter;

/** Parameters by their names. */
export type SearchSpace = Readonly<Record<string, Parameter>>;

/** A point of a space: a value of each parameter that is active in it. */
export type Parameters = Readonly<Record<string, ParameterValue>>;
