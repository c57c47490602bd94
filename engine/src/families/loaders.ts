/**
 * What reads models of each family back, apart from what fits them, so that a predictor carries no
 * fitting, but for local models of series: those of series that were not there in training are fitted when
 * they are asked for.
 */

import { arimaLoader } from "./arima/loader.ts";
import { croston } from "./croston/family.ts";
import { dlinearLoader } from "./dlinear/loader.ts";
import { dtwKnnLoader } from "./dtw_knn/loader.ts";
import { dynamicRegressionLoader } from "./dynamic_regression/loader.ts";
import { etsLoader } from "./ets/loader.ts";
import { extraTreesLoader } from "./extra_trees/loader.ts";
import type { FamilyLoader } from "./family.ts";
import { gamLoader } from "./gam/loader.ts";
import { gaussianProcessLoader } from "./gaussian_process/loader.ts";
import { gbdtLoader } from "./gbdt/loader.ts";
import { harmonicRegressionLoader } from "./harmonic_regression/loader.ts";
import { hydraLoader } from "./hydra/loader.ts";
import { intervalGbdtLoader } from "./interval_gbdt/loader.ts";
import { lagGbdtLoader } from "./lag_gbdt/loader.ts";
import { linearLoader } from "./linear/loader.ts";
import { minirocketLoader } from "./minirocket/loader.ts";
import { mlpLoader } from "./mlp/loader.ts";
import { multirocketLoader } from "./multirocket/loader.ts";
import { multirocketHydraLoader } from "./multirocket_hydra/loader.ts";
import { obliviousLoader } from "./oblivious/loader.ts";
import { quantLoader } from "./quant/loader.ts";
import { randomForestLoader } from "./random_forest/loader.ts";
import { seasonalNaiveLoader } from "./seasonal_naive/loader.ts";
import { shapeletsLoader } from "./shapelets/loader.ts";
import { thetaLoader } from "./theta/loader.ts";

/** One a family that can be trained. */
export const LOADERS: readonly FamilyLoader[] = [
  gbdtLoader,
  obliviousLoader,
  randomForestLoader,
  extraTreesLoader,
  linearLoader,
  gamLoader,
  gaussianProcessLoader,
  mlpLoader,
  seasonalNaiveLoader,
  thetaLoader,
  dynamicRegressionLoader,
  croston,
  dlinearLoader,
  lagGbdtLoader,
  etsLoader,
  harmonicRegressionLoader,
  arimaLoader,
  minirocketLoader,
  multirocketLoader,
  hydraLoader,
  multirocketHydraLoader,
  shapeletsLoader,
  quantLoader,
  intervalGbdtLoader,
  dtwKnnLoader,
];

/** Undefined where there is no such family. */
export function loaderOf(family: string): FamilyLoader | undefined {
  return LOADERS.find(({ id }) => id === family);
}
