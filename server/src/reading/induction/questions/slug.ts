/** Ids of questions: what a field is called, as a column's name. */

const LONGEST = 63;

/** Letters a to z, digits and `_`; `field` where nothing of the name can be written so. */
export function slug(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/ß/g, "ss")
    .replace(/[łŁ]/g, "l")
    .replace(/[øØ]/g, "o")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  if (words === null) return "field";
  const joined = /^[0-9]/.test(words[0]!) ? `field_${words.join("_")}` : words.join("_");
  return joined.slice(0, LONGEST).replace(/_+$/, "");
}

/** As it is, or with the first free number from 2. */
export function uniqueSlug(name: string, taken: ReadonlySet<string>): string {
  const first = slug(name);
  if (!taken.has(first)) return first;
  for (let number = 2; ; number++) {
    const ending = `_${number}`;
    const next = `${first.slice(0, LONGEST - ending.length)}${ending}`;
    if (!taken.has(next)) return next;
  }
}
