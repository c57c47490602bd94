/**
 * Where a party lives, as a field of its own: what documents call the party points at its address as
 * well, which stands below the name.
 */

import type { Finding, Proposal, SampleDocument } from "../inducer.ts";
import { locate } from "../locators/locate.ts";
import type { Locator, Target } from "../locators/locator.ts";
import { hasStreetOrPostcode } from "../values/address-words.ts";
import { conventionsOf } from "../values/conventions.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { weighLocators } from "./trust.ts";

const NAMES: ReadonlySet<ValueKind> = new Set(["organization", "person", "text"]);
const ADDRESS: Target = { kind: "address", multiple: false, enum: [] };
const FEWEST_DOCUMENTS = 2;
const LEAST_SHARE = 0.2;
/** Of what stands there, the part that is an address: where terms or dates do, none is. */
const MOSTLY = 0.7;

/** Whether an address stands below what the locator finds. */
function pointsAtParty(locator: Locator): boolean {
  const { kind } = locator;
  return (
    kind === "label" ||
    kind === "meaning" ||
    (kind === "position" && locator.region === "recipient")
  );
}

/** Null where the field is no party's, or hardly a document has an address below the name. */
export function proposePartyAddress(
  party: Proposal,
  documents: readonly SampleDocument[],
  conventions: Conventions,
): Proposal | null {
  if (!NAMES.has(party.kind) || party.multiple) return null;
  const found = party.locators
    .filter(({ locator }) => pointsAtParty(locator))
    .map(({ locator }) => ({
      locator,
      findings: documents.map(({ content }): Finding | null => {
        const [best] = locate(content, locator, ADDRESS, conventionsOf(content, conventions));
        return best ?? null;
      }),
    }))
    .filter(({ findings }) => findings.some((finding) => finding !== null));
  const first = documents.map((_, index) =>
    found.map(({ findings }) => findings[index]!).find((finding) => finding !== null),
  );
  const stated = first.filter((finding) => finding != null);
  const addresses = stated.filter(({ normal }) => hasStreetOrPostcode(String(normal))).length;
  if (addresses < Math.max(FEWEST_DOCUMENTS, LEAST_SHARE * documents.length)) return null;
  if (addresses < MOSTLY * stated.length) return null;
  const { trusts, agreement } = weighLocators(
    "address",
    found.map(({ findings }) => findings),
  );
  return {
    ...party,
    origin: "label",
    name: `${party.name.replaceAll("_", " ")} address`,
    kind: "address",
    unit: null,
    enum: [],
    question: null,
    weight: 0,
    locators: found.map(({ locator }, index) => ({ locator, trust: trusts[index]! })),
    agreement,
    sightings: documents.flatMap(({ id }, index) => {
      const finding = first[index];
      return finding == null ? [] : [{ documentId: id, finding }];
    }),
  };
}
