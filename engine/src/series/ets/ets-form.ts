/**
 * The forms of exponential smoothing: error × trend × season, as Hyndman, Koehler, Ord & Snyder,
 * "Forecasting with exponential smoothing: the state space approach", Springer, 2008, name them in
 * ch. 2. `E`, `T`, `S` are N (none), A (additive), M (multiplicative); a trend may be damped.
 */

export type ErrorType = "A" | "M";
export type Component = "N" | "A" | "M";

export interface EtsForm {
  readonly error: ErrorType;
  readonly trend: Component;
  readonly damped: boolean;
  readonly season: Component;
}

/** As the literature writes it: `MAdM` is multiplicative error, damped additive trend, … */
export function formName({ error, trend, damped, season }: EtsForm): string {
  return `${error}${trend}${damped ? "d" : ""}${season}`;
}

const TRENDS: readonly Pick<EtsForm, "trend" | "damped">[] = [
  { trend: "N", damped: false },
  { trend: "A", damped: true },
  { trend: "A", damped: false },
  { trend: "M", damped: true },
  { trend: "M", damped: false },
];

/**
 * Can the form be unstable: does its forecasts' variance have no bound (sec. 15.2)? Additive errors with
 * a multiplicative trend or season, and MMA.
 */
function isUnstable({ error, trend, season }: EtsForm): boolean {
  return error === "A" ? trend === "M" || season === "M" : trend === "M" && season === "A";
}

export interface Admission {
  /** Are all values above 0? Without it nothing is multiplicative. */
  readonly positive: boolean;
  readonly seasonal: boolean;
  readonly multiplicativeTrend: boolean;
}

/** The forms that the automatic choice tries, in the order of rising size. */
export function admissibleForms({ positive, seasonal, multiplicativeTrend }: Admission): EtsForm[] {
  const errors: readonly ErrorType[] = positive ? ["A", "M"] : ["A"];
  const seasons: readonly Component[] = seasonal
    ? positive
      ? ["N", "A", "M"]
      : ["N", "A"]
    : ["N"];
  return seasons
    .flatMap((season) =>
      TRENDS.flatMap((trend) => errors.map((error) => ({ error, ...trend, season }))),
    )
    .filter(
      (form) => !isUnstable(form) && (form.trend !== "M" || (positive && multiplicativeTrend)),
    );
}

/** Smoothing parameters and free initial states; a season's states sum to a constant. */
export function parameterCount({ trend, damped, season }: EtsForm, seasonLength: number): number {
  return 2 + (trend === "N" ? 0 : 2) + (damped ? 1 : 0) + (season === "N" ? 0 : seasonLength);
}
