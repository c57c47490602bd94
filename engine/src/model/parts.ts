/** What a loaded model is made of, for those who write it in another form. */

import type { Feature, FeatureBins } from "../data/encoded.ts";
import type { Calibration } from "../ensemble/calibration/calibration.ts";
import type { FittedModel } from "../families/family.ts";
import type { ModelDocument } from "./document.ts";

export interface PartOfModel {
  readonly family: string;
  readonly weight: number;
  readonly calibration: Calibration | null;
  /** The place of its bins. */
  readonly encoder: number;
  readonly model: FittedModel;
}

export interface ModelParts {
  readonly document: ModelDocument;
  readonly features: readonly Feature[];
  /** Of each encoder. */
  readonly bins: readonly (readonly FeatureBins[])[];
  readonly members: readonly PartOfModel[];
}
