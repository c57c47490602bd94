/**
 * Random dilated shapelets (Guillaume, Vrain & Elloumi 2022) and a ridge regression: short shapes that are
 * somewhere in a sequence, how near, where and how often.
 */

import { z } from "zod";
import { extendKey } from "../../compute/random.ts";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { channelsOfShapelet, fitShapelets } from "../../sequences/shapelets/fit-shapelets.ts";
import { hasClasses } from "../../tasks/index.ts";
import type { DataShape, Family } from "../family.ts";
import { ridgeFitSeconds } from "../sequence_transforms/fit-seconds.ts";
import {
  fitLengths,
  LENGTHS,
  lengthsSchema,
  lengthsSpace,
  pointsOfLengths,
  usualLengths,
} from "../sequence_transforms/lengths.ts";
import { fitRidgeModel } from "../sequence_transforms/ridge-model.ts";
import { shapeletsLoader } from "./loader.ts";

const parametersSchema = z.object({
  shapelets: z.int().min(10),
  scaling: z.enum(CHANNEL_SCALINGS),
  lengths: lengthsSchema,
});

const SEARCHED: SearchSpace = {
  shapelets: { type: "int", low: 300, high: 10_000, log: true },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
};

const SPACE: SearchSpace = {
  ...SEARCHED,
  lengths: { type: "categorical", choices: [...LENGTHS] },
};

/** Of a student, which is to predict fast. */
const FEW = 500;

/** Of a shapelet's channel: drawing it, and how far from it some windows are. */
const DRAW_SECONDS = 2e-5;
/** Of a feature at a step, of a shapelet of one channel. */
const STEP_SECONDS = 9e-10;

function defaultsOf(shape: DataShape) {
  const shapelets = shape.student ? FEW : 3000;
  return { shapelets, scaling: "channel", lengths: usualLengths(shape) } as const;
}

export const shapelets: Family = {
  ...shapeletsLoader,
  title: "Random dilated shapelets",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,

  suits: () => ({
    use: true,
    reason: "Short shapes wherever they are: how near they come, where, and how often.",
  }),

  fitSeconds: (shape) => {
    const { shapelets: count } = defaultsOf(shape);
    const read = channelsOfShapelet(shape.sequences?.channels ?? 1);
    return (
      DRAW_SECONDS * count * read +
      ridgeFitSeconds(shape, [{ features: 3 * count, stepSeconds: STEP_SECONDS * read }])
    );
  },
  searchSpace: (shape) => ({ ...SEARCHED, ...lengthsSpace(shape, LENGTHS) }),
  defaults: defaultsOf,
  portfolio: (shape) => [
    ...pointsOfLengths(shape, defaultsOf(shape)),
    { ...defaultsOf(shape), scaling: "sequence" },
    { ...defaultsOf(shape), shapelets: shape.student ? 300 : 1000 },
  ],
  parameters: () => SPACE,

  fit(context, given) {
    const { shapelets: count, scaling, lengths } = parametersSchema.parse(given);
    const { trainRows, target, task, key, limits } = context;
    const classes = hasClasses(task)
      ? Float64Array.from(trainRows, (row) => target[row])
      : undefined;
    return fitRidgeModel(context, (frame) =>
      fitLengths({ frame, rows: trainRows, lengths, scaler: "standard" }, (set, rows, parts) =>
        fitShapelets(set, rows, extendKey(key, "shapelets"), {
          ...{ shapelets: Math.max(10, Math.round(count / parts)), scaling },
          between: () => limits?.throwIfOver(),
          ...(classes && { classes }),
        }),
      ),
    );
  },

  refitParameters: (parameters) => parameters,
};
