/** What is said of a model's files that cannot be read. */

/** The files of a model are damaged, or of a format this version does not read. */
export class ModelFormatError extends Error {
  override readonly name = "ModelFormatError";
}
