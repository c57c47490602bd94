/** The models behind an endpoint: what references mean, and whether their answers are of one kind. */

import { isDeepStrictEqual } from "node:util";
import { COLUMN_KINDS } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { conflict, Problem } from "../../platform/input/problem.ts";
import type { ModelKinds } from "../models/kind.ts";
import { requireModel } from "../models/service.ts";
import type { EndpointState } from "./record.ts";
import type { Share } from "./split.ts";

/** What of a model's detail says how it answers, and from what. */
const answering = z.object({
  task: z.looseObject({
    task_kind: z.string(),
    label_column: z.string(),
    series_columns: z.array(z.string()).nullish(),
  }),
  classes: z.array(z.string()),
  columns: z.array(z.looseObject({ name: z.string(), kind: z.enum(COLUMN_KINDS) })),
});

/** A model that can answer. */
export interface ServedModel {
  readonly id: string;
  readonly answering: z.infer<typeof answering>;
}

/** What references mean: a model that can answer, or why there is none. */
export type Resolved = ReadonlyMap<string, ServedModel | Problem>;

export async function resolveAll(
  ctx: AuthedContext,
  kinds: ModelKinds,
  references: Iterable<string>,
): Promise<Resolved> {
  const one = async (reference: string): Promise<[string, ServedModel | Problem]> => {
    try {
      const { kind, row } = await requireModel(ctx, kinds, reference);
      if (kind.whyNoPredictions !== null) throw conflict(kind.whyNoPredictions);
      kind.assertCompleted(row);
      return [reference, { id: row.id, answering: answering.parse(kind.toDetail(row)) }];
    } catch (error) {
      if (error instanceof Problem) return [reference, error];
      throw error;
    }
  };
  return new Map(await Promise.all([...new Set(references)].map(one)));
}

export const isServed = (found: ServedModel | Problem | undefined): found is ServedModel =>
  found !== undefined && !(found instanceof Problem);

/** Why answers of one cannot stand for those of the other; null where they can. */
export function whyUnlike(one: ServedModel, other: ServedModel): string | null {
  const [a, b] = [one.answering, other.answering];
  if (a.task.task_kind !== b.task.task_kind) {
    return `its task is ${a.task.task_kind}, that of the others is ${b.task.task_kind}`;
  }
  if (a.task.label_column !== b.task.label_column) {
    return `it predicts ${a.task.label_column}, the others predict ${b.task.label_column}`;
  }
  if (!isDeepStrictEqual(a.classes, b.classes)) {
    return `its classes are ${list(a.classes)}, those of the others are ${list(b.classes)}`;
  }
  if (!isDeepStrictEqual(a.task.series_columns ?? [], b.task.series_columns ?? [])) {
    return "other columns tell its series apart";
  }
  return null;
}

/** How an endpoint stands, by what its references mean now. */
export function stateOf(
  models: readonly Share[],
  shadow: string | null,
  resolved: Resolved,
): EndpointState {
  const problems: { model_id: string; detail: string }[] = [];
  const references = [...models.map(({ model_id }) => model_id), ...(shadow ? [shadow] : [])];
  const found = references.map((reference) => resolved.get(reference));
  const first = found.find(isServed);
  for (const [at, reference] of references.entries()) {
    const model = found[at];
    const detail = isServed(model)
      ? first && whyUnlike(model, first)
      : (model?.message ?? "It was not looked for.");
    if (detail) problems.push({ model_id: reference, detail: sentence(detail) });
  }
  const split = new Set(models.map(({ model_id }) => model_id));
  return {
    models: models.map(({ model_id, traffic }) => {
      const model = resolved.get(model_id);
      return { model_id, traffic, resolved_model_id: isServed(model) ? model.id : null };
    }),
    status: problems.some(({ model_id }) => split.has(model_id)) ? "degraded" : "ready",
    problems,
    warnings: unequalColumns(references, resolved),
  };
}

/** Of models that read columns which others do not: whoever asks the endpoint has to send them all. */
function unequalColumns(references: readonly string[], resolved: Resolved): string[] {
  const read = [...new Set(references)].flatMap((reference) => {
    const model = resolved.get(reference);
    const names = isServed(model) ? model.answering.columns.map(({ name }) => name) : null;
    return names === null ? [] : [{ reference, names: new Set(names) }];
  });
  return read.flatMap(({ reference, names }) => {
    const own = [...names].filter((name) => read.some((other) => !other.names.has(name)));
    if (own.length === 0) return [];
    const columns = own.length === 1 ? "column" : "columns";
    return [`Model ${reference} reads the ${columns} ${list(own)}, which not all of them read.`];
  });
}

const list = (names: readonly string[]): string =>
  names.length <= 10 ? names.join(", ") : `${names.slice(0, 10).join(", ")} and more`;

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
