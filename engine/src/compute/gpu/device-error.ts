/** The device did not do what it was asked: the CPU does. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
}

/** The first line of what a driver says. */
export function lineOf(error: unknown): string {
  const text = error instanceof Object && "message" in error ? String(error.message) : `${error}`;
  return text.split("\n", 1)[0]!;
}
