/** What there is near a reference that means no model, for who asked: of their own organization alone. */

import type { Database } from "../../../platform/db/database.ts";
import { nearNames, quotedList } from "../../../platform/input/near-names.ts";
import { isUuid, parseReference } from "../model-id.ts";
import { listVersions } from "../store.ts";
import { listNames, type NameRow, namesOfLength } from "./store.ts";

/** Versions, and other names, that are named. */
const MOST_NAMED = 3;

/**
 * @param ids other models' that callers chose
 * @returns a clause that goes on behind a colon; null where nothing is near
 */
export async function nearReference(
  db: Database,
  organizationId: string,
  text: string,
  ids: readonly string[] = [],
): Promise<string | null> {
  const reference = parseReference(text);
  if (reference === null) return null;
  const name = reference.kind === "bare" ? reference.text : reference.name;
  if (isUuid(name)) return null;
  const [known] = await listNames(db, organizationId, { only: name, limit: 1 });
  if (known === undefined) {
    const names = await namesOfLength(db, organizationId, name.length);
    const near = nearNames(name, [...names, ...ids]);
    if (near.length === 0) return null;
    return `the closest ${near.length === 1 ? "name is" : "names are"} ${quotedList(near)}`;
  }
  switch (reference.kind) {
    case "version": {
      const newest = await newestVersions(db, organizationId, known);
      return `'${name}' has no version ${reference.version}${newest}`;
    }
    case "alias":
      return aliasHint(known, reference.alias);
    default:
      return `'${name}' has no completed version`;
  }
}

async function newestVersions(
  db: Database,
  organizationId: string,
  { name, versions }: NameRow,
): Promise<string> {
  const page = { limit: MOST_NAMED, before: null };
  const rows = (await listVersions(db, organizationId, name, page)).slice(0, MOST_NAMED);
  const numbers = rows.map(({ version }) => String(version));
  if (numbers.length === 0) return ", nor any other now";
  if (versions === 1) return `; its only version is ${numbers[0]}`;
  const all = new Intl.ListFormat("en").format(numbers);
  return `; its ${versions > numbers.length ? "newest versions" : "versions"} are ${all}`;
}

function aliasHint({ name, aliases }: NameRow, alias: string): string {
  const known = aliases.map((each) => each.alias);
  if (known.includes(alias)) return `the alias '${name}@${alias}' leads to no model`;
  const near = nearNames(alias, known);
  const named = near.length > 0 ? near : known.slice(0, MOST_NAMED);
  if (named.length === 0) return `'${name}' has no aliases`;
  const which = near.length > 0 ? "the closest that it has" : "it has";
  return `'${name}' has no alias '${alias}'; ${which}: ${quotedList(named)}`;
}
