/** A pool that runs the engine's tasks and gives back their errors as what they were. */

import { HelperLostError } from "../compute/crew-desk.ts";
import { ownModule } from "../compute/own-file.ts";
import { ComputePool, type PoolOptions, revived } from "../compute/pool.ts";
import type { ThrownError } from "../compute/thrown.ts";
import { DataLimitError, READ_LIMITS, type ReadLimits } from "../data/readers/read-limits.ts";
import { DataError } from "../data/table.ts";
import { TeacherError } from "../distill/teacher.ts";
import { FitStoppedError } from "../families/fit-limits.ts";
import { ModelFormatError } from "../model/model-format-error.ts";
import { AllTrialsFailedError, ConfigError } from "../trainer/config/errors.ts";

/** A pool of the engine's tasks. @param threads ≥ 1; default one for each core */
export function createPool(threads?: number, options: PoolOptions = {}): ComputePool {
  return new ComputePool(ownModule("tasks", import.meta.url), threads, reviveError, options);
}

/** What a task threw in another thread or process, by its description. */
export const reviveThrown = (thrown: ThrownError): Error => revived(thrown, reviveError);

/** The engine's errors, for a pool over a module with further tasks. */
export function reviveError({ name, message, members }: ThrownError): Error | undefined {
  switch (name) {
    case "DataError":
      return reviveDataError(message, members);
    case "ConfigError":
      return new ConfigError(Array.isArray(members["path"]) ? members["path"] : [], message);
    case "NoCandidateError":
      return new AllTrialsFailedError(message);
    case "TeacherError":
      return new TeacherError(message);
    case "FitStoppedError":
      return new FitStoppedError();
    case "HelperLostError":
      return new HelperLostError(typeof members["why"] === "string" ? members["why"] : null);
    case "ModelFormatError":
      return new ModelFormatError(message);
    default:
      return undefined;
  }
}

function reviveDataError(message: string, members: ThrownError["members"]): DataError {
  const where = {
    ...(typeof members["column"] === "string" ? { column: members["column"] } : {}),
    ...(typeof members["row"] === "number" ? { row: members["row"] } : {}),
    ...(typeof members["member"] === "string" ? { member: members["member"] } : {}),
  };
  const { limit, maximum } = members;
  return isReadLimit(limit) && typeof maximum === "number"
    ? new DataLimitError(limit, maximum, message, where)
    : new DataError(message, where);
}

const isReadLimit = (name: unknown): name is keyof ReadLimits =>
  typeof name === "string" && Object.hasOwn(READ_LIMITS, name);
