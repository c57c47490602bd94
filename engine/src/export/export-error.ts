/** The model cannot be written in the form that was asked for; the message says what stands in the way. */
export class ExportError extends Error {
  override readonly name = "ExportError";
}
