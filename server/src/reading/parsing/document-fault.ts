/** Why a document cannot be read, in a sentence for the person who sent it. */

export const DOCUMENT_FAULTS = [
  /** There is nothing in it. */
  "empty",
  /** It opens with a password only. */
  "encrypted",
  /** It is not what it begins as. */
  "damaged",
  /** Its bytes, its text, or the memory that it takes. */
  "too_large",
  "too_many_pages",
  /** It unpacks to far more than it is. */
  "archive_bomb",
  /** Nested deeper than anything that a person writes. */
  "too_deep",
  "unsupported",
  "took_too_long",
] as const;

export type DocumentFaultCode = (typeof DOCUMENT_FAULTS)[number];

export class DocumentFault extends Error {
  override readonly name = "DocumentFault";
  readonly code: DocumentFaultCode;

  /** @param message a sentence that says what is wrong and, where something helps, what helps */
  constructor(code: DocumentFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
