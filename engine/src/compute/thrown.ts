/** Errors between threads and processes. */

/** An error on its way between threads, which would otherwise lose its class and members. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Own enumerable members that are plain data. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** An error as plain data. */
export function describeThrown(error: unknown): ThrownError {
  if (!(error instanceof Error)) {
    return { name: "Error", message: String(error), stack: undefined, members: {} };
  }
  const members = Object.entries(error).filter(([name]) => name !== "name" && name !== "cause");
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    members: JSON.parse(JSON.stringify(Object.fromEntries(members))),
  };
}
