/** An endpoint as the service shows it. */

import type { Outputs } from "@distillery/client";

export type Endpoint = Outputs["serving"]["get"];
