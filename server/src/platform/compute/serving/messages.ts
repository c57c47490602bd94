/** What the loop that serves requests and the threads that answer them say to each other. */

import type { ModelPredictions, Rows, Table, ThrownError } from "@distillery/engine";
import type { ArrowRange } from "@distillery/engine/arrow";
import type { Operation } from "../model-rows.ts";
import type { Signature } from "../open-inference/infer-request.ts";

/** What rows are asked of. */
export interface ModelRequest {
  readonly modelId: string;
  /** A local copy of the model's directory. */
  readonly folder: string;
  /** The serving endpoint whose rows they are counted as; absent: none's. */
  readonly endpointId?: string | undefined;
  /** Of intervals and sets; absent = what the run was asked for. */
  readonly coverage?: number | undefined;
  /** Of an explanation of one sequence: stretches of time that are told apart. */
  readonly segments?: number | undefined;
}

export type RowsRequest = ModelRequest & { readonly rows: Rows };
/** `body`: the JSON of the rows. */
export type RowsBody = ModelRequest & { readonly body: Uint8Array };
/** `body`: an Arrow IPC stream or file; of one in shared memory, threads may be asked for its parts. */
export type ArrowBody = RowsBody & { readonly answerAs: "arrow" | "json" };
/** `body`: in shared memory. */
export type ArrowPart = RowsBody & { readonly range: ArrowRange };
/** Predictions of the parts of a body, in their order. */
export type ArrowParts = ModelRequest & { readonly parts: readonly ModelPredictions[] };
/** `table`: some of the rows of a body. */
export type TablePart = ModelRequest & { readonly table: Table };
/** Predictions of the parts of a body, in their order; `warnings`: what reading its rows said. */
export type JoinedRows = ModelRequest & {
  readonly parts: readonly ModelPredictions[];
  readonly warnings: readonly string[];
};
/** A body whose rows are worth several threads. */
export interface PlannedRows {
  /** Of the request, given back. */
  readonly body: Uint8Array;
  /** What is predicted of its first rows; null = nothing yet. */
  readonly first: ModelPredictions | null;
  /** The other rows. */
  readonly tables: readonly Table[];
  readonly warnings: readonly string[];
}
/** `answer`: what another model answered to it, as JSON. */
export type ComparedBody = RowsBody & { readonly answer: Uint8Array };

/** A request of the Open Inference Protocol. */
export interface InferBody extends ModelRequest {
  /** As the request has it. */
  readonly modelName: string;
  readonly signature: Signature;
  readonly body: Uint8Array;
  /** How much of the body is JSON; null = all of it. */
  readonly jsonBytes: number | null;
  /** Whether rows and predictions are wanted as JSON beside, to be logged. */
  readonly logs: boolean;
}
/** `given`: whose predictions those of the model are compared with. */
export type ComparedInfer = Omit<InferBody, "modelName" | "logs"> & {
  readonly given: ModelRequest;
};

/** What a thread is asked; all but `check` of a model. */
export type Asked =
  | { readonly kind: Operation; readonly request: RowsRequest }
  | { readonly kind: `${Operation}Body`; readonly request: RowsBody }
  /** As `predictBody`, or how to split it. */
  | { readonly kind: "planBody"; readonly request: RowsBody & { readonly threads: number } }
  | { readonly kind: "predictPart"; readonly request: TablePart }
  | { readonly kind: "joinParts"; readonly request: JoinedRows }
  | { readonly kind: "inferBody"; readonly request: InferBody }
  | { readonly kind: "compareInfer"; readonly request: ComparedInfer }
  | { readonly kind: "predictArrow" | "planArrow"; readonly request: ArrowBody }
  | { readonly kind: "predictArrowPart"; readonly request: ArrowPart }
  | { readonly kind: "joinArrow"; readonly request: ArrowParts }
  /** Predicts what another model has predicted. */
  | { readonly kind: "compareBody"; readonly request: ComparedBody }
  /** Finds what is wrong with rows that no model is asked about. */
  | { readonly kind: "check"; readonly body: Uint8Array; readonly operation: Operation };

/** What a thread said to one of what it was asked. */
export type Outcome<Value = unknown> = { readonly value: Value } | { readonly thrown: ThrownError };

export type ToThread =
  /** All of one model, to be answered together. */
  | { readonly kind: "answer"; readonly asked: readonly Asked[] }
  | { readonly kind: "load"; readonly folder: string }
  /** Asks for what was counted since the last time. */
  | { readonly kind: "count" }
  /** Needs no answer. */
  | { readonly kind: "forget"; readonly folder: string };

/** Rows that a model has answered for a serving endpoint. */
export interface CountedRows {
  readonly endpointId: string;
  readonly modelId: string;
  /** Hours since 1970. */
  readonly hour: number;
  /** See the engine's `DriftCounter`. */
  readonly counts: Float64Array;
}

export type FromThread = ThreadAnswer | { readonly counted: readonly CountedRows[] };

/** The answer to `answer` and to `load`. */
export interface ThreadAnswer {
  /** In the order of what was asked. */
  readonly outcomes: readonly Outcome[];
  /** Folders of the models that the thread holds now. */
  readonly loaded: readonly string[];
}

export interface ThreadSettings {
  /** Of the files of the models that a thread holds; the latest is held whatever its size. */
  readonly modelBytes: number;
}
