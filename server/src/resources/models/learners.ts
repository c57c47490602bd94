/** Models as what uses the dataset that they learned from. */

import type { DatasetUser } from "../datasets/user.ts";
import { learnersOf, noteDatasetDeleted } from "./store.ts";

/** So many are named. */
const NAMED = 3;

export const learners: DatasetUser = {
  async whyKept(sql, organizationId, datasetId) {
    const all = await learnersOf(sql, organizationId, datasetId);
    if (all.length === 0) return null;
    const named = all
      .slice(0, NAMED)
      .map(({ id, name, version }) =>
        version === null ? `${id} (${name})` : `${name}@${version}`,
      );
    const rest = all.length - named.length;
    const list = new Intl.ListFormat("en").format(rest > 0 ? [...named, `${rest} more`] : named);
    return `${all.length === 1 ? "A model was" : `${all.length} models were`} trained on this dataset: ${list}; delete ${all.length === 1 ? "it" : "them"} first, or send force=true.`;
  },
  noteDeleted: noteDatasetDeleted,
};
