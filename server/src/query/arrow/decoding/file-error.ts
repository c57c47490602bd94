/** An Arrow file that is damaged, or holds what is not read here; one sentence, without its path. */
export class ArrowFileError extends Error {
  override readonly name = "ArrowFileError";
}
