/** What was asked and answered, as files for `reasoning/`: kept for the operator, never listed. */

import type { Rejected } from "./fields/field.ts";
import type { Asked } from "./propose/ask-documents.ts";

export class ReasoningLog {
  readonly #files = new Map<string, string>();

  get files(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#files);
  }

  documents(asked: readonly Asked[]): void {
    for (const [number, { document, window, prompt, text }] of asked.entries()) {
      const name = `propose-${String(number + 1).padStart(4, "0")}`;
      this.#keep(name, { document: document.id, window, prompt, answer: text });
    }
  }

  exchange(name: string, prompt: string, answer: string): void {
    this.#keep(name, { prompt, answer });
  }

  rejected(rejected: readonly Rejected[]): void {
    this.#keep("rejected", rejected);
  }

  #keep(name: string, content: unknown): void {
    this.#files.set(`llm-${name}.json`, `${JSON.stringify(content, null, 1)}\n`);
  }
}
