/** Groups of what was seen as fields with typed values: one kind, and each value read as it. */

import { lineAt } from "../../../parsing/document-text.ts";
import type { SampleDocument } from "../../inducer.ts";
import { read } from "../../values/kinds.ts";
import { type Conventions, VALUE_KINDS, type ValueKind } from "../../values/value.ts";
import type { FieldSighting, LlmField, Rejected } from "./field.ts";
import { documentsOf, type Group } from "./groups.ts";
import { copiesDocument, type SampleTexts } from "./leakage.ts";
import type { Evidence, SeenField } from "./verified.ts";

export interface Fields {
  readonly fields: readonly LlmField[];
  readonly rejected: readonly Rejected[];
}

/** Of what a model quotes and the document holds, whatever its form says. */
const SURE = 0.95;
/** With several values in this share of its documents a field has several. */
const SEVERAL = 0.5;
/** Options that are said by at least this share of a field's sightings make an enumeration. */
const ENUMERATED = 0.8;

export function fieldsOf(
  groups: readonly Group[],
  documents: readonly SampleDocument[],
  conventions: Conventions,
  texts: SampleTexts,
): Fields {
  const fields: LlmField[] = [];
  const rejected: Rejected[] = [];
  for (const group of groups) {
    const reject = (reason: string): void => {
      rejected.push({ documentId: null, name: group.name, reason });
    };
    const kind = kindOf(group, documents, conventions);
    const sightings = sightingsOf(group, kind, documents, conventions);
    if (sightings.length === 0) {
      reject(`no value that it quotes can be read as ${kind}`);
      continue;
    }
    const values = [...new Set(sightings.map(({ finding }) => finding.text))];
    const asked = [group.question, group.name.replaceAll("_", " ")];
    if (asked.some((text) => copiesDocument(text, values, texts))) {
      reject("it repeats what a single document says");
      continue;
    }
    const { several, first } = severalOf(sightings);
    const multiple = kind !== "boolean" && several >= SEVERAL * first.length;
    fields.push({
      name: group.name,
      question: group.question,
      kind,
      unit: unitOf(group, kind),
      enum: enumOf(group, kind, first),
      multiple,
      sightings: multiple ? sightings : first,
    });
  }
  return { fields, rejected };
}

/** The kind that is most often said, as far as what was quoted can be read as it. */
function kindOf(
  group: Group,
  documents: readonly SampleDocument[],
  conventions: Conventions,
): ValueKind {
  const stated = documentsOf(group).size;
  let best: { readonly kind: ValueKind; readonly score: number } = { kind: "text", score: 0 };
  for (const kind of VALUE_KINDS) {
    const said = group.seen.filter((field) => field.kind === kind).length;
    if (said === 0) continue;
    const sightings = sightingsOf(group, kind, documents, conventions);
    const read = new Set(sightings.map(({ documentId }) => documentId)).size;
    const score = (said * read) / stated;
    if (score > best.score) best = { kind, score };
  }
  return best.kind;
}

/** What of the evidence can be read as the kind, in the documents' order, then as it was said. */
function sightingsOf(
  { seen }: Group,
  kind: ValueKind,
  documents: readonly SampleDocument[],
  conventions: Conventions,
): FieldSighting[] {
  const sightings: FieldSighting[] = [];
  for (const field of seen) {
    const document = documents[field.document]!;
    for (const evidence of field.evidence) {
      const sighting = sightingOf(document, field, evidence, kind, conventions);
      const isNew = (other: FieldSighting): boolean =>
        other.documentId !== document.id ||
        other.finding.start >= (sighting?.finding.end ?? 0) ||
        other.finding.end <= (sighting?.finding.start ?? 0);
      if (sighting !== null && sightings.every(isNew)) sightings.push(sighting);
    }
  }
  return sightings;
}

function sightingOf(
  { id, content }: SampleDocument,
  field: SeenField,
  { quote, value }: Evidence,
  kind: ValueKind,
  conventions: Conventions,
): FieldSighting | null {
  if ((typeof value === "boolean") !== (kind === "boolean")) return null;
  const place = typeof value === "boolean" ? quote : value;
  const text = content.text.slice(place.start, place.end);
  const { page } = lineAt(content, place.start);
  if (typeof value === "boolean") {
    const finding = { ...place, normal: value, unit: null, text, page, confidence: SURE };
    return { documentId: id, quote, finding };
  }
  const typed = read(kind, text, conventions);
  if (typed === null) return null;
  const start = place.start + typed.start;
  const end = place.start + typed.end;
  const unit = typed.unit ?? (kind === "quantity" || kind === "number" ? field.unit : null);
  const finding = {
    normal: typed.normal,
    unit,
    text: content.text.slice(start, end),
    start,
    end,
    page,
    confidence: SURE,
  };
  return { documentId: id, quote, finding };
}

/** The first sighting of each document, and how many documents have several different ones. */
function severalOf(sightings: readonly FieldSighting[]): {
  readonly several: number;
  readonly first: readonly FieldSighting[];
} {
  const byDocument = new Map<string, FieldSighting[]>();
  for (const sighting of sightings) {
    const there = byDocument.get(sighting.documentId);
    if (there === undefined) byDocument.set(sighting.documentId, [sighting]);
    else there.push(sighting);
  }
  const lists = [...byDocument.values()];
  const several = lists.filter(
    (list) => new Set(list.map(({ finding }) => finding.normal)).size > 1,
  ).length;
  return { several, first: lists.map(([one]) => one!) };
}

/** Of numbers and quantities, what most of the documents that name one name. */
function unitOf(group: Group, kind: ValueKind): string | null {
  if (kind !== "number" && kind !== "quantity") return null;
  const counts = new Map<string, number>();
  for (const { unit } of group.seen) {
    if (unit !== null) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return most !== undefined && most[1] * 2 > documentsOf(group).size ? most[0] : null;
}

/** The options that two documents name and at least two documents' values bear out; else none. */
function enumOf(
  { seen }: Group,
  kind: ValueKind,
  first: readonly FieldSighting[],
): readonly string[] {
  if (kind !== "text") return [];
  const named = new Map<string, number>();
  for (const { enum: options } of seen) {
    for (const option of options) named.set(option, (named.get(option) ?? 0) + 1);
  }
  const values = first.map(({ finding }) => String(finding.normal).toLowerCase());
  const borne = [...named]
    .filter(([option, times]) => {
      const said = values.filter((value) => value === option.toLowerCase()).length;
      return times >= 2 && said >= 2;
    })
    .map(([option]) => option)
    .sort();
  const covered = values.filter((value) => borne.some((option) => option.toLowerCase() === value));
  return borne.length >= 2 && covered.length >= ENUMERATED * values.length ? borne : [];
}
