/** The gates of a single field, in the order in which they are told. */

import { coverageGate } from "./coverage.ts";
import type { Gate } from "./gate.ts";
import { identifyingGate } from "./identifying.ts";
import { varietyGate } from "./variety.ts";

export const FIELD_GATES: readonly Gate[] = [coverageGate, varietyGate, identifyingGate];
