/** What the runner and its processes say to each other. */

import type { ParsedDocument } from "../../parsing/normal-form.ts";
import type { Answers } from "../extract.ts";
import type { InductionResult } from "../induce.ts";
import type { InductionProgress, InductionRequest, Proposals, SampleDocument } from "../inducer.ts";
import type { ExtractionPlan } from "../schema.ts";

/** A document as a job gets it: the local file of its parsed form (JSON), or the form itself. */
export interface StoredDocument {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the document's bytes. */
  readonly hash: string;
  readonly parsed: { readonly path: string } | { readonly document: ParsedDocument };
}

export interface ExtractedDocument {
  readonly documentId: string;
  readonly answers: Answers;
  /** What a reader of the answers should know, such as that the file holds several documents. */
  readonly warnings: readonly string[];
}

export type Task =
  | {
      readonly kind: "induce";
      readonly documents: readonly StoredDocument[];
      readonly request: InductionRequest;
      /** Who proposes: the process itself, or an inducer of the service, by name. */
      readonly outsideInducer: string | null;
    }
  | {
      readonly kind: "extract";
      readonly documents: readonly StoredDocument[];
      readonly plan: ExtractionPlan;
    };

export type FromProcess =
  | { readonly kind: "progress"; readonly progress: InductionProgress }
  | { readonly kind: "propose"; readonly documents: readonly SampleDocument[] }
  | { readonly kind: "induced"; readonly result: InductionResult }
  | { readonly kind: "extracted"; readonly rows: readonly ExtractedDocument[] }
  | {
      readonly kind: "fault";
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
    };

export type ToProcess =
  /** The first message. */
  | { readonly kind: "task"; readonly task: Task }
  | { readonly kind: "proposals"; readonly proposals: Proposals }
  /** The inducer outside cannot; the embedded one takes over. */
  | { readonly kind: "unavailable"; readonly note: string };
