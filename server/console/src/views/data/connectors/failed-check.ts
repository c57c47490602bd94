/** Which field of a connector's form a failed step of its test speaks of. */

import type { ConnectorForm } from "./connector-form.ts";

export interface FailedCheck {
  readonly check: string;
  /** The service's words. */
  readonly detail: string;
}

/** What answers there is another thing, or speaks in another way. */
const OF_A_SERVER = /does not answer as|not part of .* protocol|no encrypted connection/i;
const OF_A_USER = /no such access key/i;
/** Faults of a place are told by the step that first needs the credentials. */
const OF_A_PLACE = /bucket|database|prefix|folder|catalog|URL/i;

export function memberOf(
  { check, detail }: FailedCheck,
  form: Pick<ConnectorForm, "endpoint" | "user">,
): keyof ConnectorForm {
  if (check === "address" || OF_A_SERVER.test(detail))
    return form.endpoint === "" ? "url" : "endpoint";
  const isOfCredentials = check === "credentials" || check === "login";
  if (!isOfCredentials || OF_A_PLACE.test(detail)) return "url";
  return form.user === "" || OF_A_USER.test(detail) ? "user" : "secret";
}
