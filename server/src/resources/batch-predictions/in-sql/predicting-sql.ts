/**
 * `predict('model', rows)` as a table of any statement. What runs statements runs the rows of each call
 * first, as a statement of its own; a model's threads score them; then the statement around them runs over
 * the rows with their predictions. No session waits for another.
 */

import { DataError, taskType } from "@distillery/engine";
import { allows } from "../../../api/context/scopes.ts";
import type { Services } from "../../../api/services.ts";
import type { OutputField } from "../../../platform/compute/scoring/output-column.ts";
import { predictionColumns } from "../../../platform/compute/scoring/predictions.ts";
import { insufficientScope, Problem } from "../../../platform/input/problem.ts";
import { checkParameters } from "../../../query/sql/parameters.ts";
import {
  type ExportedFile,
  type ExportFormat,
  type QueryParameter,
  type QueryPlan,
  type QueryRequest,
  type SqlEngine,
  SqlError,
  type TableResolver,
} from "../../../query/sql/query.ts";
import type { ScanSource } from "../../../query/sql/scan.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { whyNoIntervals } from "../columns.ts";
import { type FoundModel, learnedDateOrders, predictorOf } from "../model.ts";
import { HOW_TO_CALL, type PredictCall, type SplitStatement, splitCalls } from "./calls.ts";
import { type CallOptions, modelOf, namedParameters, optionsOf } from "./options.ts";
import { PlannedScan, type PredictedFiles, PredictedScan } from "./predicted-scan.ts";
import { withPredictions } from "./score-rows.ts";

/** Of one statement, those that calls need of others counted as often as they run. */
const MOST_SCORINGS = 64;

/** A call of which all is known but its rows. */
interface PlannedCall {
  readonly call: PredictCall;
  readonly reference: string;
  readonly model: FoundModel;
  readonly options: CallOptions;
  readonly request: QueryRequest;
  readonly plan: QueryPlan;
  /** Whether each row has its own prediction. */
  readonly isByRow: boolean;
  readonly fields: readonly OutputField[];
}

/** What is left to a statement, in all its parts. */
interface Budget {
  readonly endsAt: number;
  /** Aborted at that time, and when the caller goes away. */
  readonly signal: AbortSignal;
  scorings: number;
}

/**
 * @param plain what runs statements without such calls
 * @param services whose models and threads they are: those that this becomes a part of
 */
export function predictingSql(
  plain: SqlEngine,
  services: () => Services,
  kinds: ModelKinds,
): SqlEngine {
  return new PredictingSql(plain, services, kinds);
}

class PredictingSql implements SqlEngine {
  readonly #plain: SqlEngine;
  readonly #services: () => Services;
  readonly #kinds: ModelKinds;

  constructor(plain: SqlEngine, services: () => Services, kinds: ModelKinds) {
    this.#plain = plain;
    this.#services = services;
    this.#kinds = kinds;
  }

  queryJson: SqlEngine["queryJson"] = (request, limits) =>
    this.#with(request, (over) => this.#plain.queryJson(over, limits));

  queryArrow: SqlEngine["queryArrow"] = (request, limits) =>
    this.#with(request, (over) => this.#plain.queryArrow(over, limits));

  exportFile<Result>(
    request: QueryRequest,
    format: ExportFormat,
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result> {
    return this.#with(request, (over) => this.#plain.exportFile(over, format, use));
  }

  exportParquet<Result>(
    request: QueryRequest,
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result> {
    return this.#with(request, (over) => this.#plain.exportParquet(over, use));
  }

  async explain(request: QueryRequest): Promise<QueryPlan> {
    const split = splitCalls(request.sql);
    if (split === null) return this.#plain.explain(request).catch(rethrowHelped);
    return this.#explain(request, split, budgetOf(request)).catch(rethrowHelped);
  }

  close(): Promise<void> {
    return this.#plain.close();
  }

  async #with<Result>(
    request: QueryRequest,
    use: (over: QueryRequest) => Promise<Result>,
  ): Promise<Result> {
    const split = splitCalls(request.sql);
    if (split === null) return use(request).catch(rethrowHelped);
    return this.#predicted(request, split, budgetOf(request), use).catch(rethrowHelped);
  }

  /** The plan of the statement around the calls, with those of their rows. */
  async #explain(request: QueryRequest, split: SplitStatement, budget: Budget): Promise<QueryPlan> {
    const calls = await this.#plan(request, split, budget);
    return this.#planAround(request, split, calls, budget);
  }

  async #planAround(
    request: QueryRequest,
    split: SplitStatement,
    calls: readonly PlannedCall[],
    budget: Budget,
  ): Promise<QueryPlan> {
    const tables = calls.map(
      (planned) =>
        new PlannedScan(
          labelOf(planned),
          planned.isByRow ? planned.plan.schema : null,
          planned.fields,
        ),
    );
    const over = around(request, split, calls, tables, [], budget);
    const { text, scans, ...described } = await this.#plain.explain(over);
    const texts = calls.map(
      (planned) => `Rows of ${nameOf(planned)}, ${labelOf(planned)}:\n${planned.plan.text}`,
    );
    return {
      text: [text, ...texts].join("\n\n"),
      ...described,
      scans: [...scans, ...calls.flatMap(({ plan }) => plan.scans)],
    };
  }

  /** Finds the models and plans the rows of all calls, before any is run. */
  async #plan(
    request: QueryRequest,
    { calls, written }: SplitStatement,
    budget: Budget,
  ): Promise<PlannedCall[]> {
    // Of the whole statement, before it is taken apart.
    checkParameters(written, request.parameters);
    if (request.scopes !== undefined && !allows(request.scopes, "models:read")) {
      throw insufficientScope("models:read");
    }
    const planned: PlannedCall[] = [];
    for (const call of calls) planned.push(await this.#planCall(request, call, budget));
    return planned;
  }

  async #planCall(request: QueryRequest, call: PredictCall, budget: Budget): Promise<PlannedCall> {
    budget.scorings += 1;
    if (budget.scorings > MOST_SCORINGS) {
      throw new DataError(
        `The statement predicts more than ${MOST_SCORINGS} times, counting what its parts need of each other.`,
      );
    }
    const reference = modelOf(call, request.parameters);
    const options = optionsOf(call, request.parameters);
    const model = await this.#model(request, reference, call);
    const { document } = model;
    const why = options.intervals ? whyNoIntervals(model) : null;
    if (why !== null) throw new DataError(`predict('${reference}', …): ${why}${call.place}.`);
    const rows: QueryRequest = {
      ...request,
      sql: call.rows,
      parameters: someOf(request, (name) => call.rowsParameters.has(name)),
      timeoutMs: leftOf(budget),
      dateOrders: learnedDateOrders(this.#services(), request.organizationId, model, budget.signal),
    };
    const split = splitCalls(rows.sql);
    const plan =
      split === null ? await this.#plain.explain(rows) : await this.#explain(rows, split, budget);
    const isByRow = taskType(document.task.kind).framing === null;
    const fields: OutputField[] = predictionColumns(document, options).map(
      ({ name, type, nullable }) => ({ name, type, nullable }),
    );
    if (isByRow && options.onError === "null") {
      fields.push({ name: `${options.prefix}prediction_error`, type: "text", nullable: true });
    }
    const names = isByRow ? plan.schema.fields.map(({ name }) => name) : [];
    checkNames(reference, names, fields, call);
    return { call, reference, model, options, request: rows, plan, isByRow, fields };
  }

  async #model(
    { organizationId, usesModel }: QueryRequest,
    reference: string,
    { place }: PredictCall,
  ): Promise<FoundModel> {
    const scene = { services: this.#services(), auth: { organizationId } };
    try {
      const model = await predictorOf(scene, this.#kinds, reference);
      usesModel?.({ model_id: model.id, model: reference });
      return model;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const why =
        error.kind === "not-found" ? error.message.replace(/^There/, "there") : error.message;
      throw new DataError(`predict('${reference}', …): ${why.replace(/\.$/, "")}${place}.`);
    }
  }

  async #predicted<Result>(
    request: QueryRequest,
    split: SplitStatement,
    budget: Budget,
    use: (over: QueryRequest) => Promise<Result>,
  ): Promise<Result> {
    const calls = await this.#plan(request, split, budget);
    // What is wrong with the statement is said before anything is scored.
    const { scans } = await this.#planAround(request, split, calls, budget);
    const warnings: string[] = [];
    const tables: ScanSource[] = [];
    const next = async (index: number): Promise<Result> => {
      const planned = calls[index];
      if (planned === undefined) {
        return use(around(request, split, calls, tables, warnings, budget));
      }
      const scan = scans.find(({ table }) => table === tableOf(planned));
      const limit = scan?.filter === null && planned.isByRow ? scan.limit : null;
      return this.#withRows(planned, limit, budget, (files, said) => {
        tables.push(new PredictedScan(labelOf(planned), files, planned.fields));
        warnings.push(...said.map((warning) => `${nameOf(planned)}: ${warning}`));
        return next(index + 1);
      });
    };
    return next(0);
  }

  /** Runs the rows of a call, and scores them. @param limit that the statement around them needs */
  #withRows<Result>(
    planned: PlannedCall,
    limit: number | null,
    budget: Budget,
    use: (files: PredictedFiles, warnings: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const { request, model, options, isByRow } = planned;
    const sql = limit === null ? request.sql : `FROM (${request.sql}\n) LIMIT ${limit}`;
    const rows = { ...request, sql, timeoutMs: leftOf(budget) };
    const take = async ({ path, rows: count, schema, warnings }: ExportedFile) => {
      const kept = isByRow ? path : null;
      if (count === 0) return use({ rows: kept, predictions: null }, warnings);
      const asked = {
        ...{ model, options, path, signal: budget.signal },
        organizationId: request.organizationId,
        names: schema.fields.map(({ name }) => name),
      };
      let isScored = false;
      try {
        return await withPredictions(this.#services(), asked, (predictions, said) => {
          isScored = true;
          return use({ rows: kept, predictions }, [...warnings, ...said]);
        });
      } catch (error) {
        throw isScored ? error : faultOf(error, planned, budget);
      }
    };
    const split = splitCalls(sql);
    if (split === null) return this.#plain.exportParquet(rows, take);
    return this.#predicted(rows, split, budget, (over) => this.#plain.exportParquet(over, take));
  }
}

const budgetOf = ({ timeoutMs, signal }: QueryRequest): Budget => ({
  endsAt: performance.now() + timeoutMs,
  signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  scorings: 0,
});

const leftOf = ({ endsAt }: Budget): number => Math.max(1, endsAt - performance.now());

const nameOf = ({ reference }: PlannedCall): string => `predict('${reference}', …)`;
const labelOf = ({ reference, model: { id, name } }: PlannedCall): string =>
  reference === id
    ? `predictions of the model ${name} (${id})`
    : `predictions of ${reference} (${id})`;
const tableOf = ({ call: { catalog } }: PlannedCall): string => `${catalog}.main.predict`;

/** The statement around the calls, over tables in their place. */
function around(
  request: QueryRequest,
  { sql, parameters }: SplitStatement,
  calls: readonly PlannedCall[],
  scans: readonly ScanSource[],
  warnings: readonly string[],
  budget: Budget,
): QueryRequest {
  const { tables } = request;
  const made = new Map(
    calls.flatMap(({ call: { catalog } }, index) => {
      const source = scans[index];
      if (source === undefined) return [];
      return [[catalog, { name: { catalog, schema: "main", table: "predict" }, source }]] as const;
    }),
  );
  const resolver: TableResolver = {
    async resolve(references, signal) {
      const others = references.filter(({ schema }) => !made.has(schema ?? ""));
      const found = others.length === 0 ? [] : await tables.resolve(others, signal);
      return [...made.values(), ...found];
    },
    names: (signal) => tables.names(signal),
    leftOut: () => tables.leftOut?.() ?? [],
    warnings: () => [...(tables.warnings?.() ?? []), ...warnings],
  };
  return {
    ...request,
    sql,
    parameters: someOf(request, (name) => parameters.has(name)),
    tables: resolver,
    timeoutMs: leftOf(budget),
  };
}

const someOf = (
  { parameters }: QueryRequest,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, QueryParameter>> =>
  Object.fromEntries(namedParameters(parameters).filter(([name]) => isWanted(name.toLowerCase())));

/** Names of columns are compared without regard to case, as SQL does. */
function checkNames(
  reference: string,
  names: readonly string[],
  fields: readonly OutputField[],
  { place }: PredictCall,
): void {
  const seen = new Set<string>();
  for (const name of [...names, ...fields.map((field) => field.name)]) {
    if (seen.has(name.toLowerCase())) {
      throw new DataError(
        `predict('${reference}', …) would have two columns named '${name}': give columns of predictions a prefix (prefix := 'p_'), or those of the rows other names by AS${place}.`,
        { column: name },
      );
    }
    seen.add(name.toLowerCase());
  }
}

function faultOf(error: unknown, planned: PlannedCall, { signal }: Budget): unknown {
  const { request } = planned;
  if (request.signal.aborted) {
    return new SqlError("cancelled", "The query was cancelled", { cause: error });
  }
  if (signal.aborted) {
    return new SqlError(
      "timeout",
      "The query did not end in time: predicting its rows took too long",
      {
        cause: error,
      },
    );
  }
  if (!(error instanceof DataError)) return error;
  const { row, column } = error;
  return new DataError(`${nameOf(planned)}: ${error.message}`, {
    cause: error,
    ...(row !== undefined && { row }),
    ...(column !== undefined && { column }),
  });
}

/** Who calls it where no table stands is told how it is called. */
function rethrowHelped(error: unknown): never {
  const isMisplaced =
    error instanceof SqlError &&
    /\bFunction with name "?predict"? does not exist/i.test(error.message);
  if (!isMisplaced) throw error;
  throw new SqlError(
    error.failure,
    `predict(…) stands where a table stands, not among expressions: ${HOW_TO_CALL}`,
    { position: error.position, cause: error },
  );
}
