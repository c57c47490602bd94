/** The header that every stored model of trees has: its version and the facts of its fit. */

export type FitFacts = Readonly<Record<string, number | string>>;

/**
 * The facts of a stored model.
 *
 * @param what names the model in errors, e.g. `forest`
 * @throws Error for a damaged header, or of a version other than this release's
 */
export function readStoredFacts(header: unknown, version: number, what: string): FitFacts {
  if (typeof header !== "object" || header === null || !("version" in header)) {
    throw new Error(`The stored ${what} has no version.`);
  }
  if (header.version !== version) {
    throw new Error(
      `The stored ${what} has version ${JSON.stringify(header.version)}; this release reads version ${version}.`,
    );
  }
  if (!("facts" in header) || !isFacts(header.facts)) {
    throw new Error(`The stored ${what} is damaged: it has no facts.`);
  }
  return header.facts;
}

function isFacts(value: unknown): value is FitFacts {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((fact) => typeof fact === "number" || typeof fact === "string")
  );
}
