/** How one series is fitted: waves of its year, and a local model of what they leave. */

import { z } from "zod";
import type { Parameters } from "../../search/space.ts";
import { fitHarmonic, loadHarmonic } from "../../series/harmonics/harmonic-model.ts";
import { DEFAULTS as ARIMA, arimaMethod } from "../arima/loader.ts";
import { DEFAULTS as ETS, etsMethod } from "../ets/loader.ts";
import type { LocalMethod } from "../local_forecast/local-model.ts";
import { DEFAULTS as THETA, thetaMethod } from "../theta/loader.ts";

/** What forecasts the rest, by family. */
export const RESTS = ["ets", "theta", "arima"] as const;

export const DEFAULTS = { rest: "ets" } as const;

const parametersSchema = z.object({ rest: z.enum(RESTS) });

const savedSchema = z.object({
  period: z.number().positive(),
  scale: z.number(),
  coefficients: z.array(z.number()),
  inner: z.unknown(),
});

/** Of a year, up to which a season is another one. */
const SHORTER = 0.9;

export function harmonicMethod(parameters: Parameters): LocalMethod<unknown> {
  const rest = restOf(parametersSchema.parse(parameters).rest);
  return {
    fit(history, { seasons, year }) {
      const period = year ?? history.length;
      const shorter = seasons.filter((season) => season < SHORTER * period);
      return fitHarmonic(history, {
        ...{ period, seasonLength: shorter[0] ?? 1 },
        fitInner: (left) => rest.fit(left, { seasons: shorter }),
      });
    },
    load: (saved) => loadHarmonic<unknown>(savedSchema.parse(saved), (inner) => rest.load(inner)),
  };
}

/** By the family's defaults for one season: days and weeks have one shorter than a year at most. */
function restOf(rest: (typeof RESTS)[number]): LocalMethod<unknown> {
  switch (rest) {
    case "ets":
      return etsMethod(ETS);
    case "theta":
      return thetaMethod(THETA);
    case "arima":
      return arimaMethod(ARIMA);
  }
}
