/** Candidates from what contracts call their parties. */

import type { SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locateRole, rolesOf } from "../locators/role.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { type Mention, ofEachDocument, withNeighbours } from "./mention.ts";
import { statedValue } from "./stated-value.ts";

export const roleCandidates = ofEachDocument(mentionsOf);

function mentionsOf({ id, content }: SampleDocument, conventions: Conventions): Mention[] {
  const mentions = rolesOf(content).flatMap(({ role, name }): Mention[] => {
    const kind = kindOf(name, conventions);
    const key = labelKey(role);
    const locator = { kind: "role" as const, roles: [key] };
    const [finding] = locateRole(content, locator, { kind, multiple: false, enum: [] });
    if (finding === undefined) return [];
    const neighbours = [null, null] as const;
    return [
      { origin: "label", documentId: id, label: role, key, kind, locator, finding, neighbours },
    ];
  });
  return withNeighbours(mentions);
}

function kindOf(name: string, conventions: Conventions): ValueKind {
  const kind = statedValue(name, conventions)?.kind;
  return kind === "organization" || kind === "person" ? kind : "text";
}
