/**
 * A language model behind an OpenAI-compatible endpoint, asked for answers of one form. It has no
 * tools and keeps no conversation: each question is one request. An answer that is not of the form
 * is asked for once more.
 */

import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import type { Outbound } from "../../../../platform/net/outbound.ts";
import type { LlmEndpoint, LlmLimits } from "../settings.ts";
import { type Dialect, FULL_DIALECT, simpler } from "./dialect.ts";
import { asLlmFailure, LlmFailure } from "./llm-failure.ts";

/** One question to the model. */
export interface Prompt<Answer> {
  /** Letters, digits and `_`: what the endpoint knows the form by. */
  readonly name: string;
  readonly system: string;
  readonly user: string;
  readonly form: z.ZodType<Answer>;
}

export interface Answered<Answer> {
  readonly answer: Answer;
  /** As it came, with the key struck out. */
  readonly text: string;
}

/** What is read of an answer; an endpoint that is only nearly compatible may send anything. */
const completionSchema = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })], z.unknown()),
});

const SEED = 1;
/** Shorter keys are words that local servers are given because a key must be set. */
const SECRET_LENGTH = 8;
const AGAIN =
  "\n\nYour last answer was not JSON of the form asked for. Answer with that JSON alone, and keep it short.";

export class ChatModel {
  readonly #client: OpenAI;
  readonly #model: string;
  readonly #key: string | undefined;
  readonly #limits: LlmLimits;
  #dialect: Dialect = FULL_DIALECT;

  constructor(
    { baseUrl, apiKey, model }: LlmEndpoint,
    { outbound, limits }: { readonly outbound: Outbound; readonly limits: LlmLimits },
  ) {
    this.#model = model;
    this.#key = apiKey;
    this.#limits = limits;
    this.#client = new OpenAI({
      baseURL: baseUrl,
      // The SDK takes none for an answer; the header is left out again on the way.
      apiKey: apiKey ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      fetch: endpointFetch(outbound, limits, apiKey !== undefined),
      maxRetries: limits.retries,
      // The guarded client's clocks are the shorter ones.
      timeout: limits.answerMs + limits.bodyMs,
      logLevel: "off",
    });
  }

  /**
   * @throws LlmFailure
   * @throws the signal's reason, where it is aborted
   */
  async ask<Answer>(prompt: Prompt<Answer>, signal: AbortSignal): Promise<Answered<Answer>> {
    const clock = AbortSignal.timeout(this.#limits.askMs);
    const both = AbortSignal.any([signal, clock]);
    try {
      const first = await this.#answer(prompt, prompt.user, both);
      if (first !== null) return first;
      const second = await this.#answer(prompt, prompt.user + AGAIN, both);
      if (second !== null) return second;
      throw new LlmFailure("malformed", "its answers were not of the form asked for");
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (clock.aborted) {
        throw new LlmFailure("timeout", "it did not answer in time", { cause: clock.reason });
      }
      throw asLlmFailure(error);
    }
  }

  /** Null where it is not of the form. */
  async #answer<Answer>(
    { name, system, form }: Prompt<Answer>,
    user: string,
    signal: AbortSignal,
  ): Promise<Answered<Answer> | null> {
    for (;;) {
      const dialect = this.#dialect;
      try {
        const completion = await this.#client.chat.completions.create(
          {
            model: this.#model,
            messages: [
              { role: "system", content: system },
              { role: "user", content: user },
            ],
            [dialect.tokens]: this.#limits.answerTokens,
            ...(dialect.temperature && { temperature: 0 }),
            ...(dialect.seed && { seed: SEED }),
            ...(dialect.form === "schema" && { response_format: zodResponseFormat(form, name) }),
            ...(dialect.form === "json" && { response_format: { type: "json_object" as const } }),
          },
          { signal },
        );
        const written = completionSchema.safeParse(completion);
        if (!written.success) return null;
        // An endpoint may repeat what it was sent; nothing of the key goes on.
        const text = this.#withoutKey(written.data.choices[0].message.content);
        const answer = form.safeParse(jsonIn(text));
        return answer.success ? { answer: answer.data, text } : null;
      } catch (error) {
        const next = simpler(dialect, error);
        if (next === null || signal.aborted) throw error;
        // Requests side by side may learn the same: the first one's word counts.
        if (this.#dialect === dialect) this.#dialect = next;
      }
    }
  }

  #withoutKey(text: string): string {
    const key = this.#key;
    return key === undefined || key.length < SECRET_LENGTH ? text : text.replaceAll(key, "[key]");
  }
}

const KEPT_HEADERS = new Set(["authorization", "content-type", "accept"]);

/**
 * The SDK's way out: the guarded client, which bounds time and size and follows no redirect. Of the
 * SDK's headers only those go out that a chat needs, so that nothing that stands in the process's
 * environment (`OPENAI_CUSTOM_HEADERS`, organization, project) reaches the endpoint, nor what the
 * SDK tells of this machine.
 */
function endpointFetch(
  outbound: Outbound,
  { answerMs, bodyMs, answerBytes }: LlmLimits,
  hasKey: boolean,
): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    const headers = [...new Headers(init?.headers)].filter(
      ([name]) => KEPT_HEADERS.has(name) && (hasKey || name !== "authorization"),
    );
    const { body, signal, method } = init ?? {};
    if (typeof body !== "string" && body !== undefined && body !== null) {
      throw new TypeError("a chat's body is text");
    }
    return outbound.fetch(url, {
      ...(method !== undefined && { method }),
      headers: Object.fromEntries(headers),
      ...(typeof body === "string" && { body }),
      ...(signal && { signal }),
      timeoutMs: answerMs,
      bodyTimeoutMs: bodyMs,
      maxBytes: answerBytes,
    });
  };
}

/**
 * The JSON object in what a model wrote: models that are only told in words wrap it in a code fence,
 * a greeting, or what they thought before. Undefined where there is none.
 */
function jsonIn(text: string): unknown {
  const start = text.indexOf("{", text.lastIndexOf("</think>"));
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    // Cut off or not JSON: the caller asks again.
    return undefined;
  }
}
