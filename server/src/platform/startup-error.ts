/** Why the service does not start: one line for the person who starts it. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
