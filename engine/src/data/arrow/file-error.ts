/** How a file can be wrong; one fault a kind, so that callers need not read the text. */
export type ArrowFileFault =
  /** Its parts contradict each other, or it ends early. */
  | "damaged"
  /** Sound, perhaps, but of a kind that is not read here. */
  | "unsupported"
  /** More at once than is read. */
  | "limit";

/** An Arrow file that is damaged, or holds what is not read here; one sentence, without its path. */
export class ArrowFileError extends Error {
  override readonly name = "ArrowFileError";
  readonly fault: ArrowFileFault;
  /** The column that it is about, where it is about one. */
  readonly column: string | undefined;

  constructor(
    message: string,
    options: {
      readonly fault?: ArrowFileFault;
      readonly column?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = options.fault ?? "damaged";
    this.column = options.column;
  }
}

/** Names the column in what goes wrong with it. */
export function inColumn<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ArrowFileError)) throw error;
    throw new ArrowFileError(`column ${JSON.stringify(name)}: ${error.message}`, {
      fault: error.fault,
      column: name,
      cause: error,
    });
  }
}
