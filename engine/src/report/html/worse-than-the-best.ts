/** Why a blend may have a worse score than one of its trials. */

import type { Words } from "../../tasks/row-words.ts";

/** The end of a sentence on the blend's score. @param fold what is held out together */
export const worseThanTheBest = ({ one, many }: Words): string =>
  `worse than its best trial seems: each ${one} is answered by what the other ${many} chose and weighed, while trials are ranked by the very ${many} that they are scored on, which flatters the first of them.`;
