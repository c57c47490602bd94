/** How much one request may bring, and what may take how long. */

const MEBIBYTE = 1024 * 1024;

export const LIMITS = {
  /** Files in one request. */
  files: 200,
  bytesPerFile: 50 * MEBIBYTE,
  bytesPerRequest: 512 * MEBIBYTE,
  /** Documents in the sample of one induction. */
  sample: 500,
  /** Documents of one extraction. */
  extraction: 5000,
  /** Values in the body of an extraction: so many documents with some columns each. */
  extractionValues: 50_000,
  /** Extra columns of one document. */
  columns: 100,
  nameCharacters: 255,
} as const;

/**
 * An upload is answered within about this many seconds after its last byte; what is not parsed by
 * then, such as a pile of scans, is parsed behind the answer.
 */
export const WAIT_SECONDS = 20;
