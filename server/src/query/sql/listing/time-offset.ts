/** Times as texts that say their distance from UTC. */

/** A condition. @param text of a time, in the quotes of JSON or without */
export const hasOffset = (text: string): string =>
  `regexp_matches(${text}, ':[0-9]{2}([.][0-9]+)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)"?$')`;
