/** Which language model is asked, and how much of it an induction may use. */

/** An OpenAI-compatible endpoint, as the operator configured it. */
export interface LlmEndpoint {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly model: string;
}

export interface LlmLimits {
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Tries of one request beyond the first, with growing pauses, where a failure may pass. */
  readonly retries: number;
  /** Until an answer begins, milliseconds. A model that does not stream begins when it is done. */
  readonly answerMs: number;
  /** From there to its end, however slowly it drips, milliseconds. */
  readonly bodyMs: number;
  /** One question to the model with all its tries, milliseconds. */
  readonly askMs: number;
  /** All of an induction's questions, milliseconds. */
  readonly totalMs: number;
  /** Largest answer that is read, bytes. */
  readonly answerBytes: number;
  /** Most tokens that an answer may take. */
  readonly answerTokens: number;
  /** Characters of a document that one prompt shows; a token is about four, fewer where marked. */
  readonly windowCharacters: number;
  /** Characters that two windows of a document share. */
  readonly overlapCharacters: number;
  /** Of a longer document its first windows and its last are shown. */
  readonly windowsPerDocument: number;
  /** Characters of documents shown in all; the sample's later documents are then left out. */
  readonly totalCharacters: number;
}

export const LLM_LIMITS: LlmLimits = {
  concurrency: 4,
  retries: 2,
  answerMs: 120_000,
  bodyMs: 60_000,
  askMs: 240_000,
  totalMs: 900_000,
  answerBytes: 1024 * 1024,
  answerTokens: 6000,
  windowCharacters: 12_000,
  overlapCharacters: 400,
  windowsPerDocument: 4,
  totalCharacters: 600_000,
};
