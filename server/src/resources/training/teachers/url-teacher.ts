/**
 * A teacher behind a URL. Rows go out by POST in batches, a few at a time, through the guarded way
 * out; a small batch goes first, so that a teacher that does not work is seen at once. Requests
 * that fail for a passing reason are sent again; everything else ends the job with a message that
 * says which batch and row, and what came. Headers are seen by the teacher alone.
 */

import {
  outputCount,
  type Task,
  type Teacher,
  TeacherError,
  type TeacherSamples,
} from "@distillery/engine";
import {
  type Outbound,
  OutboundFailedError,
  OutboundRefusedError,
} from "../../../platform/net/outbound.ts";
import { AnswerFault, excerpt, readAnswer } from "./answer.ts";
import { AskedRows, type Batch, type BatchLimits, cutBatches } from "./batches.ts";
import { backoffMs, pause, RETRIES, type RetryPolicy, retryAfterMs } from "./retry.ts";

export interface UrlTeacherSettings {
  readonly limits: BatchLimits;
  readonly retries: RetryPolicy;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Until an answer begins. */
  readonly timeoutMs: number;
  /** From there to its end, however slowly it drips. */
  readonly bodyTimeoutMs: number;
  readonly redirects: number;
}

const URL_TEACHER_SETTINGS: UrlTeacherSettings = {
  limits: { samples: 1000, bytes: 1024 * 1024, probe: 8 },
  retries: RETRIES,
  concurrency: 4,
  timeoutMs: 60_000,
  bodyTimeoutMs: 60_000,
  redirects: 3,
};

/** Rows of one question of the run: they are cut into batches here, which are asked side by side. */
const QUESTION_ROWS = 5000;
/** What passes: too many requests, and what gateways answer while a server starts or is replaced. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Bytes of an answer beside its numbers, and of one number with all its digits and spaces. */
const ANSWER_BYTES = 64 * 1024;
const NUMBER_BYTES = 64;
/** Of an answer that is no prediction, this much is read for the message. */
const EXCERPT_BYTES = 4096;

export interface UrlTeacherOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly outbound: Outbound;
  readonly settings?: Partial<UrlTeacherSettings>;
}

/** One try of a batch. */
type Outcome =
  | { readonly kind: "answered"; readonly values: Float64Array }
  | { readonly kind: "passing"; readonly reason: string; readonly waitMs: number | null };

export class UrlTeacher implements Teacher {
  readonly name: string;
  readonly batchRows = QUESTION_ROWS;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #outbound: Outbound;
  readonly #settings: UrlTeacherSettings;
  #asked = new AskedRows();
  /** Of every row asked, by slot. */
  #answers = new Float64Array(0);
  /** Rows of earlier questions. */
  #rowsBefore = 0;
  #hasAnswered = false;

  constructor({ url, headers, outbound, settings }: UrlTeacherOptions) {
    this.#url = new URL(url);
    this.#headers = headers;
    this.#outbound = outbound;
    this.#settings = { ...URL_TEACHER_SETTINGS, ...settings };
    // Without the query, which may hold a key.
    this.name = `${this.#url.origin}${this.#url.pathname}`;
  }

  async predict(samples: TeacherSamples, signal: AbortSignal): Promise<Float64Array> {
    const { task } = samples;
    const outputs = outputCount(task);
    const slots = new Uint32Array(samples.rows.length);
    const batches = cutBatches(samples, this.#asked, slots, this.#settings.limits);
    try {
      const first = batches.next();
      if (!first.done) await this.#ask(first.value, task, outputs, signal);
      await this.#askRest(batches, task, outputs, signal);
    } catch (error) {
      // Slots without answers must not be met again.
      this.#asked = new AskedRows();
      throw error;
    }
    this.#rowsBefore += slots.length;
    const values = new Float64Array(slots.length * outputs);
    for (const [row, slot] of slots.entries()) {
      values.set(this.#answers.subarray(slot * outputs, (slot + 1) * outputs), row * outputs);
    }
    return values;
  }

  /** Side by side; the first failure ends the others. */
  async #askRest(
    batches: Iterable<Batch>,
    task: Task,
    outputs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const end = new AbortController();
    const both = AbortSignal.any([signal, end.signal]);
    const queue = batches[Symbol.iterator]();
    let failure: unknown;
    const lane = async (): Promise<void> => {
      try {
        for (let next = queue.next(); !next.done; next = queue.next()) {
          await this.#ask(next.value, task, outputs, both);
        }
      } catch (error) {
        if (!end.signal.aborted) failure = error;
        end.abort();
      }
    };
    await Promise.all(Array.from({ length: this.#settings.concurrency }, lane));
    if (end.signal.aborted) throw failure;
  }

  async #ask(batch: Batch, task: Task, outputs: number, signal: AbortSignal): Promise<void> {
    const where = this.#place(batch);
    const { retries } = this.#settings;
    for (let failures = 1; ; failures++) {
      const outcome = await this.#try(batch, task, outputs, { where, failures }, signal);
      if (outcome.kind === "answered") {
        this.#keep(batch.firstSlot * outputs, outcome.values);
        this.#hasAnswered = true;
        return;
      }
      if (failures >= retries.attempts) {
        throw new TeacherError(`${where}: ${outcome.reason}; it was asked ${failures} times.`);
      }
      await pause(Math.max(outcome.waitMs ?? 0, backoffMs(retries, failures)), signal);
    }
  }

  async #try(
    batch: Batch,
    task: Task,
    outputs: number,
    { where, failures }: { readonly where: string; readonly failures: number },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { timeoutMs, bodyTimeoutMs, redirects, retries } = this.#settings;
    try {
      const response = await this.#outbound.fetch(this.#url, {
        method: "POST",
        headers: {
          ...this.#headers,
          "content-type": "application/json",
          accept: "application/json",
        },
        body: batch.body,
        signal,
        timeoutMs,
        bodyTimeoutMs,
        redirects,
        maxBytes: ANSWER_BYTES + batch.rows.length * Math.max(2, outputs) * NUMBER_BYTES,
      });
      const { status } = response;
      if (PASSING.has(status)) {
        const waitMs = retryAfterMs(response.headers.get("retry-after"), Date.now());
        await response.body?.cancel();
        if ((waitMs ?? 0) > retries.longestRetryAfterMs) {
          const seconds = Math.round((waitMs ?? 0) / 1000);
          throw new TeacherError(
            `${where}: it answered with status ${status} and asks to wait for ${seconds} s, which is too long.`,
          );
        }
        return { kind: "passing", reason: `it answered with status ${status}`, waitMs };
      }
      if (status < 200 || status > 299) {
        const body = await beginningOf(response);
        throw new TeacherError(
          `${where}: it answered with status ${status}${hintOf(status)}: ${excerpt(this.#withoutSecrets(body))}.`,
        );
      }
      const text = await response.text();
      return { kind: "answered", values: this.#read(text, batch.rows.length, task) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof AnswerFault) throw this.#faulty(error, batch, where);
      if (error instanceof OutboundRefusedError) {
        throw new TeacherError(`${where}: ${error.message}`, error);
      }
      if (!(error instanceof OutboundFailedError)) throw error;
      // A teacher that was never in time is given up at once, one that was may be late once.
      const late = error.failure === "timeout" && this.#hasAnswered && failures === 1;
      if (error.failure === "unreachable" || late) {
        return { kind: "passing", reason: error.message.replace(/\.$/, ""), waitMs: null };
      }
      const hint =
        error.failure === "timeout"
          ? ` (an answer may begin within ${timeoutMs / 1000} s and take ${bodyTimeoutMs / 1000} s)`
          : "";
      throw new TeacherError(`${where}: ${error.message.replace(/\.$/, "")}${hint}.`, error);
    }
  }

  #read(text: string, samples: number, task: Task): Float64Array {
    try {
      return readAnswer(text, samples, task);
    } catch (error) {
      if (!(error instanceof AnswerFault)) throw error;
      // Read again for a message that repeats nothing of what was sent.
      readAnswer(this.#withoutSecrets(text), samples, task);
      throw new AnswerFault("its answer repeats the headers where predictions should be");
    }
  }

  #faulty({ sample, message }: AnswerFault, batch: Batch, where: string): TeacherError {
    if (sample === null) return new TeacherError(`${where}: ${message}.`);
    const row = this.#rowsBefore + (batch.rows[sample] ?? 0) + 1;
    return new TeacherError(
      `${where}: prediction ${sample + 1} of the batch, for row ${row}: ${message}.`,
    );
  }

  /** A teacher may repeat in its answer what it was sent. */
  #withoutSecrets(text: string): string {
    let clean = text;
    const { search, searchParams } = this.#url;
    for (const value of [...Object.values(this.#headers), search, ...searchParams.values()]) {
      // A scheme's name is no secret, what follows it is.
      for (const part of [value, ...value.split(/\s+/)]) {
        if (part.length >= 6) clean = clean.replaceAll(part, "***");
      }
    }
    return clean;
  }

  #place({ number, rows }: Batch): string {
    const from = this.#rowsBefore + (rows[0] ?? 0) + 1;
    const to = this.#rowsBefore + (rows.at(-1) ?? 0) + 1;
    return `The teacher at ${this.#url.host}, batch ${number} (rows ${from} to ${to})`;
  }

  #keep(from: number, values: Float64Array): void {
    const needed = from + values.length;
    if (needed > this.#answers.length) {
      const grown = new Float64Array(Math.max(needed, 2 * this.#answers.length));
      grown.set(this.#answers);
      this.#answers = grown;
    }
    this.#answers.set(values, from);
  }
}

/** The first few kilobytes of a body, whatever its size. */
async function beginningOf(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= EXCERPT_BYTES) break;
  }
  return text;
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return " (see teacher_headers)";
  if (status >= 300 && status < 400) return " (a redirect that is not followed)";
  return "";
}
