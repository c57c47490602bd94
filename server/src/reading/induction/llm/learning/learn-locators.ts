/**
 * How a field that a language model saw is found without it: locators made of what stood around its
 * verified values, each weighed by how often it finds those values again.
 */

import { setImmediate } from "node:timers/promises";
import type { SampleDocument } from "../../inducer.ts";
import { labelKey } from "../../locators/label-key.ts";
import { locate } from "../../locators/locate.ts";
import {
  type Locator,
  locatorSchema,
  type Target,
  type WeighedLocator,
} from "../../locators/locator.ts";
import type { Skill } from "../../skills/skill.ts";
import { sameValue } from "../../values/same-value.ts";
import type { Conventions } from "../../values/value.ts";
import type { FieldSighting, LlmField } from "../fields/field.ts";
import { candidateLocators } from "./candidate-locators.ts";
import { type Contexts, contextsOf } from "./contexts.ts";
import { presencePatterns } from "./presence-patterns.ts";

export interface Learned {
  readonly locators: readonly WeighedLocator[];
  /** As the documents write them, most frequent first. */
  readonly labels: readonly string[];
}

export interface LearningSample {
  /** Those that the model was shown. */
  readonly documents: readonly SampleDocument[];
  readonly skill: Skill;
  readonly conventions: Conventions;
}

const MOST_LOCATORS = 6;
const MOST_LABELS = 8;
/** Less often right than this, a locator misleads. */
const LEAST_TRUST = 0.25;
/** Labels that are right this often by themselves are asked for together. */
const GOOD_LABEL = 0.5;
/** A label of fewer documents is hardly what the documents call the field. */
const FEW = 0.1;
/** Documents on which a locator has to be right once before it is tried on the others. */
const FIRST_TRY = 8;
/** Documents on which locators are measured. */
const MOST_MEASURED = 40;

/** How a locator did. */
interface Measured {
  readonly locator: Locator;
  /** Numbers of the documents whose value it found first. */
  readonly right: ReadonlySet<number>;
  readonly trust: number;
}

/**
 * Lets other work of this thread in between documents: the inducer runs where requests are answered.
 *
 * @throws the signal's reason
 */
export async function learnLocators(
  field: LlmField,
  sample: LearningSample,
  signal: AbortSignal,
): Promise<Learned> {
  const byId = new Map(sample.documents.map((document) => [document.id, document]));
  const examples = examplesOf(field, sample, byId);
  const target: Target = { kind: field.kind, multiple: field.multiple, enum: [...field.enum] };
  const least = examples.length >= 4 ? 2 : 1;
  const measure = async (locators: readonly Locator[]): Promise<Measured[]> => {
    const measured: Measured[] = [];
    for (const locator of locators) {
      signal.throwIfAborted();
      const one = await measuredOn(locator, target, examples, sample.conventions);
      if (one.right.size >= least && one.trust >= LEAST_TRUST) measured.push(one);
    }
    return measured;
  };
  if (field.kind === "boolean") {
    const stated = field.sightings.filter(({ finding }) => finding.normal === true);
    const patterns = presencePatterns(stated, byId, least).map((pattern) =>
      locatorSchema.parse({ kind: "presence", patterns: [pattern] }),
    );
    const found = await measure(patterns);
    return { locators: await joinedPresence(found, target, examples, sample), labels: [] };
  }
  const contexts: Contexts[] = [];
  for (const { finding, documentId } of firstOfEach(field.sightings)) {
    await setImmediate();
    contexts.push(contextsOf(byId.get(documentId)!.content, finding));
  }
  const single = await measure([
    ...candidateLocators(contexts, least),
    ...skillLocators(field, contexts, sample.skill),
  ]);
  const all = [...(await measure(joinedLabels(single))), ...single];
  return { locators: chosen(all), labels: writtenLabels(contexts, all) };
}

/** A document, and what it says. */
interface Example {
  readonly document: SampleDocument;
  readonly values: readonly FieldSighting["finding"]["normal"][];
}

/**
 * The documents that state the field; for a yes or no all of them, as those that the model quoted
 * nothing of do not state it.
 */
function examplesOf(
  { kind, sightings }: LlmField,
  { documents }: LearningSample,
  byId: ReadonlyMap<string, SampleDocument>,
): Example[] {
  const values = new Map<string, FieldSighting["finding"]["normal"][]>();
  if (kind === "boolean") for (const { id } of documents) values.set(id, [false]);
  for (const { documentId, finding } of sightings) {
    const there = kind === "boolean" ? undefined : values.get(documentId);
    if (there === undefined) values.set(documentId, [finding.normal]);
    else there.push(finding.normal);
  }
  return [...values]
    .map(([id, said]) => ({ document: byId.get(id)!, values: said }))
    .slice(0, MOST_MEASURED);
}

async function measuredOn(
  locator: Locator,
  target: Target,
  examples: readonly Example[],
  conventions: Conventions,
): Promise<Measured> {
  const right = new Set<number>();
  let found = 0;
  for (const [number, { document, values }] of examples.entries()) {
    if (number === FIRST_TRY && right.size === 0) break;
    await setImmediate();
    const [first] = locate(document.content, locator, target, conventions);
    if (first === undefined) continue;
    found += 1;
    if (values.some((value) => sameValue(target.kind, first.normal, value))) right.add(number);
  }
  // As if it had been wrong one and a half times more: the best of many tried looks better than it is.
  return { locator, right, trust: (right.size + 0.5) / (found + 2) };
}

/** Labels that are good by themselves as one locator for each place and pick. */
function joinedLabels(measured: readonly Measured[]): Locator[] {
  const joined = new Map<string, Extract<Locator, { kind: "label" }>>();
  for (const { locator, trust } of measured) {
    if (locator.kind !== "label" || trust < GOOD_LABEL) continue;
    const key = `${locator.where.join()} ${locator.pick}`;
    const there = joined.get(key);
    const labels = [...new Set([...(there?.labels ?? []), ...locator.labels])].slice(
      0,
      MOST_LABELS,
    );
    joined.set(key, { ...locator, labels });
  }
  return [...joined.values()].filter(({ labels }) => labels.length > 1);
}

/** Patterns that say it, each adding documents and none that does not state it. */
async function joinedPresence(
  measured: readonly Measured[],
  target: Target,
  examples: readonly Example[],
  { conventions }: LearningSample,
): Promise<WeighedLocator[]> {
  let best: Measured | null = null;
  const byTrust = [...measured].sort((a, b) => b.right.size - a.right.size || b.trust - a.trust);
  for (const { locator } of byTrust) {
    if (locator.kind !== "presence") continue;
    const before = best?.locator.kind === "presence" ? best.locator.patterns : [];
    if (before.length >= MOST_LABELS) break;
    const wider: Locator = { ...locator, patterns: [...before, ...locator.patterns] };
    const one = await measuredOn(wider, target, examples, conventions);
    if (best === null || one.right.size > best.right.size) best = one;
  }
  return best === null ? [] : [{ locator: best.locator, trust: rounded(best.trust) }];
}

/** What the skill knows of the field, where it is one of the skill's. */
function skillLocators(field: LlmField, contexts: readonly Contexts[], skill: Skill): Locator[] {
  const keys = new Set(contexts.flatMap(({ right, below }) => [...right, ...below].map(labelKey)));
  return skill.fields
    .filter(({ id, kind, labels }) => {
      const isSame = id === field.name || labels.some((label) => keys.has(labelKey(label)));
      return isSame && kind === field.kind;
    })
    .flatMap(({ labels, locators }) => [
      ...(labels.length === 0
        ? []
        : [
            locatorSchema.parse({
              kind: "label",
              labels: labels.map(labelKey),
              where: ["right", "below"],
            }),
          ]),
      ...locators,
    ]);
}

/** Best first; each adds documents to those before it, or is right where they are. */
function chosen(measured: readonly Measured[]): WeighedLocator[] {
  const rest = [...measured].sort(
    (a, b) => b.right.size * b.trust - a.right.size * a.trust || b.trust - a.trust,
  );
  const covered = new Set<number>();
  const kept: WeighedLocator[] = [];
  const seen = new Set<string>();
  for (const { locator, right, trust } of rest) {
    const key = JSON.stringify(locator);
    const adds = [...right].some((number) => !covered.has(number));
    if (kept.length === MOST_LOCATORS || seen.has(key) || !adds) continue;
    seen.add(key);
    for (const number of right) covered.add(number);
    kept.push({ locator, trust: rounded(trust) });
  }
  return kept;
}

/** How the documents write the labels that were good, where more than a few of them do. */
function writtenLabels(contexts: readonly Contexts[], measured: readonly Measured[]): string[] {
  const good = new Set(
    measured.flatMap(({ locator, trust }) =>
      locator.kind === "label" && trust >= GOOD_LABEL ? locator.labels : [],
    ),
  );
  const counts = new Map<string, number>();
  for (const { right, below } of contexts) {
    for (const label of new Set([...right, ...below])) {
      const written = label.replace(/[\s:：]+$/u, "").trim();
      if (good.has(labelKey(label))) counts.set(written, (counts.get(written) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, count]) => count >= FEW * contexts.length)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MOST_LABELS)
    .map(([label]) => label);
}

function firstOfEach(sightings: readonly FieldSighting[]): FieldSighting[] {
  const seen = new Set<string>();
  return sightings.filter(({ documentId }) => !seen.has(documentId) && seen.add(documentId));
}

const rounded = (trust: number): number => Math.round(trust * 1000) / 1000;
