/** The inducer of an installation. */

import type { Outbound } from "../../../platform/net/outbound.ts";
import type { Inducer } from "../inducer.ts";
import { LlmInducer } from "./llm-inducer.ts";
import type { LlmEndpoint } from "./settings.ts";

/**
 * The language model's, where the operator named one (`Config.llm`); undefined where not, for which
 * `InductionRunner.induce` takes the embedded inducer, as it does when this one is unavailable.
 *
 * @param outbound a guarded client that may reach private addresses: the endpoint is the operator's
 *   own choice and often runs beside the service
 */
export function inducerFor(llm: LlmEndpoint | undefined, outbound: Outbound): Inducer | undefined {
  return llm === undefined ? undefined : new LlmInducer(llm, { outbound });
}
