/**
 * Nearest neighbours by dynamic time warping, the window and the number of neighbours chosen by leaving
 * each sequence out (Ratanamahatana & Keogh, "Three myths about dynamic time warping data mining", 2005).
 */

import { z } from "zod";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { WINDOWS } from "../../sequences/dtw/dtw-neighbours.ts";
import { LENGTH_TREATMENTS } from "../../sequences/resampling.ts";
import type { DataShape, Family } from "../family.ts";
import {
  lengthsSpace,
  pointsOfLengths,
  tableLengthsSchema,
} from "../sequence_transforms/lengths.ts";
import { dtwKnnLoader } from "./loader.ts";
import { fitNeighbours } from "./model.ts";

const parametersSchema = z.object({
  most_neighbours: z.int().min(1).max(50),
  scaling: z.enum(CHANNEL_SCALINGS),
  lengths: tableLengthsSchema,
});

const SPACE: SearchSpace = {
  most_neighbours: { type: "int", low: 1, high: 50, log: true },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
  lengths: { type: "categorical", choices: [...LENGTH_TREATMENTS] },
};

const DEFAULTS = { most_neighbours: 5, scaling: "channel", lengths: "original" } as const;

/** What warps within a window finds shapes of other speeds best where they have one length. */
function defaultsOf({ sequences }: DataShape) {
  return sequences?.isUnequal ? ({ ...DEFAULTS, lengths: "resampled" } as const) : DEFAULTS;
}

/** Distances are of all pairs; beyond, other families say as much for less. */
const MOST_ROWS = 1000;

export const dtwKnn: Family = {
  ...dtwKnnLoader,
  title: "Neighbours by time warping",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: false,

  suits: ({ rows }) =>
    rows <= MOST_ROWS
      ? {
          use: true,
          reason: "Equal shapes at different speeds are close; it adds diversity to an ensemble.",
        }
      : {
          use: false,
          reason: `Distances of all pairs of ${rows.toLocaleString("en")} sequences cost too much.`,
        },

  /** A third of what noise takes, of which bounds exclude little: distances of all pairs within each window. */
  fitSeconds: ({ rows, sequences: { channels, steps } = { channels: 1, steps: 1 } }) =>
    1e-9 * WINDOWS.length * (rows * steps) ** 2 * (0.4 + 0.05 * channels),
  searchSpace: (shape) => ({
    most_neighbours: { type: "int", low: 1, high: 15, log: true },
    scaling: SPACE.scaling,
    ...lengthsSpace(shape, LENGTH_TREATMENTS),
  }),
  defaults: defaultsOf,
  portfolio: (shape) => [
    ...pointsOfLengths(shape, defaultsOf(shape)),
    { ...defaultsOf(shape), scaling: "sequence" },
    { ...defaultsOf(shape), most_neighbours: 1 },
  ],
  parameters: () => SPACE,

  fit(context, given) {
    const { most_neighbours, scaling, lengths } = parametersSchema.parse(given);
    const neighbours = [1, 2, 3, 5, 9, 15, 30, 50].filter((count) => count <= most_neighbours);
    return fitNeighbours(context, { neighbours, scaling, lengths });
  },

  refitParameters: (parameters) => parameters,
};
