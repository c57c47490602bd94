/** What a worker should have for a training job: the device that the job asks for by name. */

import type { ScarceDevice } from "@distillery/engine";
import type { TrainerRunRequest } from "./request.ts";

/** What a run may ask for that not every worker has. */
const SCARCE: readonly ScarceDevice[] = ["webgpu", "tensorflow"];

export const trainingNeeds = {
  all: SCARCE,
  of: ({ device }: TrainerRunRequest): ScarceDevice | null =>
    SCARCE.find((each) => each === device) ?? null,
};
