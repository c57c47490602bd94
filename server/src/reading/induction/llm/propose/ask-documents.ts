/** Asks the model about each document, window by window, a few requests at a time. */

import type { InductionRequest, SampleDocument } from "../../inducer.ts";
import type { ChatModel } from "../endpoint/chat-model.ts";
import { LlmFailure } from "../endpoint/llm-failure.ts";
import type { LlmLimits } from "../settings.ts";
import { datamark } from "../spotlight/datamarking.ts";
import { type Window, windowsOf } from "../spotlight/windows.ts";
import { type ProposedField, proposePrompt } from "./propose-prompt.ts";

/** What the model said of one window of a document. */
export interface Asked {
  readonly document: SampleDocument;
  readonly window: Window;
  /** The sign between the words that it was shown. */
  readonly mark: string;
  readonly prompt: string;
  /** As it came; null where no answer was of the form. */
  readonly text: string | null;
  readonly fields: readonly ProposedField[];
}

export interface AskedDocuments {
  /** In the order of the documents and their windows. */
  readonly asked: readonly Asked[];
  /** Documents that were shown, in whole or in part. */
  readonly shown: readonly SampleDocument[];
}

/** With more windows than this share unanswered, the model is of no use. */
const MOST_MALFORMED = 1 / 3;

/** @throws LlmFailure */
export async function askDocuments(
  documents: readonly SampleDocument[],
  request: InductionRequest,
  model: ChatModel,
  limits: LlmLimits,
  signal: AbortSignal,
): Promise<AskedDocuments> {
  const shown: SampleDocument[] = [];
  const tasks: { readonly document: SampleDocument; readonly window: Window }[] = [];
  let characters = 0;
  for (const document of documents) {
    const windows = windowsOf(document.content.text, limits);
    characters += windows.reduce((sum, { start, end }) => sum + end - start, 0);
    if (characters > limits.totalCharacters && shown.length > 0) break;
    shown.push(document);
    for (const window of windows) tasks.push({ document, window });
  }
  const ask = async (index: number, signal: AbortSignal): Promise<Asked> => {
    const { document, window } = tasks[index]!;
    const { text: whole } = document.content;
    const marked = datamark(document.hash, whole, whole.slice(window.start, window.end));
    const prompt = proposePrompt(request, marked);
    const common = { document, window, mark: marked.mark, prompt: prompt.user };
    try {
      const { answer, text } = await model.ask(prompt, signal);
      return { ...common, text, fields: answer.fields };
    } catch (error) {
      if (error instanceof LlmFailure && error.reason === "malformed") {
        return { ...common, text: null, fields: [] };
      }
      throw error;
    }
  };
  const asked = await mapConcurrently(tasks.length, limits.concurrency, ask, signal);
  const malformed = asked.filter(({ text }) => text === null).length;
  if (malformed > asked.length * MOST_MALFORMED) {
    throw new LlmFailure("malformed", "its answers were not of the form asked for");
  }
  return { asked, shown };
}

/** At most `limit` at a time; the results in order. The first failure ends what is under way. */
async function mapConcurrently<Result>(
  count: number,
  limit: number,
  work: (index: number, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count && !end.signal.aborted) {
      const index = next++;
      try {
        results[index] = await work(index, both);
      } catch (error) {
        if (!end.signal.aborted) end.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, worker));
  if (end.signal.aborted) throw end.signal.reason;
  return results;
}
