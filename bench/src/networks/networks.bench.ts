/** Networks beside their peers: a step, a whole fit, and single families by their defaults. */

import type { BenchRequest } from "../part.ts";
import { some } from "../part.ts";
import type { PeerProcess } from "../peer-process.ts";
import { benchSingleFamilies } from "./single-families.ts";
import { benchSteps } from "./steps.ts";
import { benchWholeFits } from "./whole-fits.ts";

const DATASETS = [
  "abalone",
  "airfoil_noise",
  "cpu_act",
  "insurance_charges",
  "wine_quality",
  "credit_g",
  "spambase",
  "telco_churn",
  "car_evaluation",
  "vowel",
];

/** @param peers null: nothing of Python stands beside */
export async function benchNetworks(
  request: BenchRequest,
  peers: PeerProcess | null,
): Promise<void> {
  const { quick, data, seeds, findings, print } = request;
  await benchSteps({ quick, findings, print });
  await benchWholeFits({ quick, seeds, peers, findings, print });
  if (data === undefined) {
    print("\nsingle families: left out, since --data names no folder of data sets\n");
    return;
  }
  await benchSingleFamilies({
    ...{ folder: data, peers, findings, print },
    datasets: some(request, ["airfoil_noise"], DATASETS),
    mostRows: quick ? 400 : 2500,
    seeds: quick ? 1 : seeds,
  });
}
