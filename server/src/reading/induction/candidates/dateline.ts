/** Candidates from lines of place and day: the day that a document was made, or signed, on. */

import { locateDateline } from "../locators/dateline.ts";
import { labelKey } from "../locators/label-key.ts";
import { type Mention, ofEachDocument } from "./mention.ts";

const LABEL = "Date of signing";
const KEY = labelKey(LABEL);
const TARGET = { kind: "date", multiple: false, enum: [] } as const;

export const datelineCandidates = ofEachDocument(({ id, content }, conventions): Mention[] => {
  const [finding] = locateDateline(content, { ...TARGET, enum: [] }, conventions);
  if (finding === undefined) return [];
  return [
    {
      origin: "label",
      documentId: id,
      label: LABEL,
      key: KEY,
      kind: "date",
      locator: { kind: "dateline" },
      finding,
      neighbours: [null, null],
    },
  ];
});
