/**
 * The inducer that asks a language model: what each document states (with quotes), which of that is
 * the same, and what of it serves the use case. Everything that it answers is held to a grammar, and
 * each quote is looked for in the documents (`fields/`); locators are then learned from the places,
 * so that extraction asks nobody (`learning/`). Where the endpoint fails it is unavailable, and the
 * embedded inducer proposes in its place.
 *
 * With a temperature of 0, a seed and documents in the order of their hashes the requests are the
 * same for the same sample; whether the answers are is the endpoint's affair.
 */

import type { Outbound } from "../../../platform/net/outbound.ts";
import { learnLabels } from "../candidates/label-vocabulary.ts";
import {
  type Inducer,
  InducerUnavailable,
  type InductionRequest,
  type Proposal,
  type Proposals,
  type SampleDocument,
} from "../inducer.ts";
import { learnConventions } from "../values/conventions.ts";
import { ChatModel } from "./endpoint/chat-model.ts";
import { LlmFailure } from "./endpoint/llm-failure.ts";
import type { LlmField, Rejected } from "./fields/field.ts";
import { fieldsOf } from "./fields/fields.ts";
import { type Group, groupsByName } from "./fields/groups.ts";
import { SampleTexts } from "./fields/leakage.ts";
import { verified } from "./fields/verified.ts";
import { learnLocators } from "./learning/learn-locators.ts";
import { askDocuments } from "./propose/ask-documents.ts";
import { ReasoningLog } from "./reasoning-log.ts";
import { critiquePrompt, type Verdict, verdictsOf } from "./review/critique-prompt.ts";
import { mergedGroups, mergePrompt } from "./review/merge-prompt.ts";
import { LLM_LIMITS, type LlmEndpoint, type LlmLimits } from "./settings.ts";

/**
 * The language model's, where the operator named one (`Config.llm`); undefined where not, for which
 * `InductionRunner.induce` takes the embedded inducer, as it does when this one is unavailable.
 *
 * @param outbound a guarded client that may reach private addresses: the endpoint is the operator's
 *   own choice and often runs beside the service
 */
export function inducerFor(llm: LlmEndpoint | undefined, outbound: Outbound): Inducer | undefined {
  return llm === undefined ? undefined : new LlmInducer(llm, { outbound });
}

/** Fields beyond are those that fewest documents state. */
const MOST_GROUPS = 120;

export interface LlmInducerOptions {
  /** May reach private addresses: the endpoint is the operator's choice. */
  readonly outbound: Outbound;
  readonly limits?: Partial<LlmLimits>;
}

export class LlmInducer implements Inducer {
  readonly name = "language-model";
  readonly #model: ChatModel;
  readonly #limits: LlmLimits;

  constructor(endpoint: LlmEndpoint, { outbound, limits }: LlmInducerOptions) {
    this.#limits = { ...LLM_LIMITS, ...limits };
    this.#model = new ChatModel(endpoint, { outbound, limits: this.#limits });
  }

  /** @throws InducerUnavailable where the endpoint fails or answers nothing that can be used */
  async propose(
    documents: readonly SampleDocument[],
    request: InductionRequest,
    signal: AbortSignal,
  ): Promise<Proposals> {
    const clock = AbortSignal.timeout(this.#limits.totalMs);
    try {
      return await this.#propose(documents, request, AbortSignal.any([signal, clock]));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = clock.aborted
        ? new LlmFailure("time-limit", `it took longer than ${this.#limits.totalMs / 1000} seconds`)
        : error;
      if (!(failure instanceof LlmFailure)) throw failure;
      throw new InducerUnavailable(
        `The language model was not used: ${failure.message}. The embedded inducer proposed the questions.`,
        { cause: failure },
      );
    }
  }

  async #propose(
    documents: readonly SampleDocument[],
    request: InductionRequest,
    signal: AbortSignal,
  ): Promise<Proposals> {
    const log = new ReasoningLog();
    const rejected: Rejected[] = [];
    const { asked, shown } = await askDocuments(
      documents,
      request,
      this.#model,
      this.#limits,
      signal,
    );
    log.documents(asked);
    const contents = documents.map(({ content }) => content);
    const conventions = { ...learnConventions(contents), labels: learnLabels(contents) };
    const found = verified(
      asked,
      shown.map(({ id }) => id),
    );
    rejected.push(...found.rejected);
    const named = groupsByName(found.seen).slice(0, MOST_GROUPS);
    const groups = named.length > 1 ? await this.#merged(named, request, log, signal) : named;
    const texts = new SampleTexts(documents.map(({ content }) => content.text));
    const made = fieldsOf(groups, shown, conventions, texts);
    rejected.push(...made.rejected);
    if (made.fields.length === 0) {
      log.rejected(rejected);
      throw new LlmFailure("nothing-usable", "nothing that it proposed could be verified");
    }
    const verdicts = await this.#verdicts(made.fields, shown.length, request, log, signal);
    const proposals: Proposal[] = [];
    for (const [number, field] of made.fields.entries()) {
      const verdict = verdicts[number]!;
      if (!verdict.keep) {
        rejected.push({ documentId: null, name: field.name, reason: `dropped: ${verdict.reason}` });
        continue;
      }
      const sample = { documents: shown, skill: request.skill, conventions };
      const { locators, labels } = await learnLocators(field, sample, signal);
      if (locators.length === 0) {
        const reason = "no locator finds its values again";
        rejected.push({ documentId: null, name: field.name, reason });
      } else proposals.push(proposalOf(field, verdict, labels, locators));
    }
    log.rejected(rejected);
    if (proposals.length === 0) {
      throw new LlmFailure("nothing-usable", "nothing that it proposed stood its own review");
    }
    return { proposals, conventions, notes: notesOf(documents, shown), reasoning: log.files };
  }

  async #merged(
    groups: readonly Group[],
    request: InductionRequest,
    log: ReasoningLog,
    signal: AbortSignal,
  ): Promise<Group[]> {
    const prompt = mergePrompt(groups, request);
    const { answer, text } = await this.#model.ask(prompt, signal);
    log.exchange("merge", prompt.user, text);
    return mergedGroups(groups, answer);
  }

  async #verdicts(
    fields: readonly LlmField[],
    documents: number,
    request: InductionRequest,
    log: ReasoningLog,
    signal: AbortSignal,
  ): Promise<Verdict[]> {
    const prompt = critiquePrompt(fields, documents, request);
    const { answer, text } = await this.#model.ask(prompt, signal);
    log.exchange("critique", prompt.user, text);
    return verdictsOf(fields.length, answer);
  }
}

function proposalOf(
  field: LlmField,
  { relevance }: Verdict,
  labels: readonly string[],
  locators: Proposal["locators"],
): Proposal {
  return {
    origin: "llm",
    name: field.name,
    labels,
    kind: field.kind,
    unit: field.unit,
    enum: field.enum,
    multiple: field.multiple,
    question: field.question,
    serves: [],
    weight: relevance,
    locators,
    sightings: field.sightings.map(({ documentId, finding }) => ({ documentId, finding })),
  };
}

function notesOf(documents: readonly SampleDocument[], shown: readonly SampleDocument[]): string[] {
  if (shown.length === documents.length) return [];
  return [
    `The language model was shown ${shown.length} of the ${documents.length} documents that it might have seen, for their length.`,
  ];
}
