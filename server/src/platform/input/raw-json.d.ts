/** Of ECMAScript 2026, and not yet in TypeScript's library. */
interface JSON {
  /** What `JSON.stringify` writes as it is: a number, a text, a boolean or null. */
  rawJSON(text: string): object;
}
