/** Brings a value to one of those that a question allows. */

import type { Finding } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import type { Target } from "../locators/locator.ts";

/** The finding with the allowed value that it says, itself where all are, null where it says none. */
export function asEnumerated<Found extends Finding>(finding: Found, target: Target): Found | null {
  if (target.enum.length === 0 || typeof finding.normal === "boolean") return finding;
  const said = ` ${labelKey(String(finding.normal))} `;
  const equal = target.enum.find((value) => ` ${labelKey(value)} ` === said);
  // The longest that is within it: "not approved" before "approved".
  const within = [...target.enum]
    .sort((a, b) => b.length - a.length)
    .find((value) => said.includes(` ${labelKey(value)} `));
  const value = equal ?? within;
  return value === undefined ? null : { ...finding, normal: value };
}
