/** The order in which the S3 API lists keys. */

/** By the bytes of their UTF-8. @param names of one folder, those of folders with `/` behind them */
export function inKeyOrder(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, bytes: Buffer.from(name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ name }) => name);
}
