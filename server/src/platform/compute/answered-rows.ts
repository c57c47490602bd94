/** Answers of threads as bytes, and what the loop that awaits them wants to know without parsing them. */

export interface AnsweredRows {
  /** Of the answer. */
  readonly body: Uint8Array;
  /** How many predictions or explanations it has. */
  readonly rows: number;
}

/** In the tensors of the Open Inference Protocol. */
export interface InferredRows extends AnsweredRows {
  /** How much of the body is JSON, where tensors' bytes follow; null = all of it. */
  readonly jsonBytes: number | null;
  /** JSON of the rows and of all that is predicted, where it was asked for. */
  readonly logged: { readonly rows: Uint8Array; readonly answer: Uint8Array } | null;
}
