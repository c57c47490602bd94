/** The process of one job (`induction-runner.ts`): reads the documents, induces or extracts. */

import { readFile } from "node:fs/promises";
import process from "node:process";
import { documentText } from "../../parsing/document-text.ts";
import { type ParsedDocument, parsedDocumentSchema } from "../../parsing/normal-form.ts";
import { EmbeddedInducer } from "../embedded/embedded-inducer.ts";
import { extractFile } from "../extract-file.ts";
import { induce } from "../induce.ts";
import type { Inducer, InductionProgress, Proposals, SampleDocument } from "../inducer.ts";
import type {
  ExtractedDocument,
  FromProcess,
  StoredDocument,
  Task,
  ToProcess,
} from "./messages.ts";

/** The process is ended from outside when its job is cancelled. */
const NEVER = new AbortController().signal;

async function run(task: Task): Promise<FromProcess> {
  const onProgress = (progress: InductionProgress): void => {
    void send({ kind: "progress", progress });
  };
  const total = task.documents.length;
  if (task.kind === "extract") {
    const rows: ExtractedDocument[] = [];
    for (const document of task.documents) {
      const read = extractFile(task.plan, documentText(await parsedForm(document)));
      rows.push({ documentId: document.id, ...read });
      onProgress({ phase: "reading", done: rows.length, total });
    }
    return { kind: "extracted", rows };
  }
  const sample: SampleDocument[] = [];
  for (const document of task.documents) {
    const { id, name, hash } = document;
    sample.push({ id, name, hash, content: documentText(await parsedForm(document)) });
    onProgress({ phase: "reading", done: sample.length, total });
  }
  const embedded = new EmbeddedInducer();
  const inducer =
    task.outsideInducer === null ? embedded : new OutsideInducer(task.outsideInducer, embedded);
  const result = await induce(sample, task.request, inducer, { signal: NEVER, onProgress });
  return { kind: "induced", result };
}

async function parsedForm({ parsed }: StoredDocument): Promise<ParsedDocument> {
  if ("document" in parsed) return parsed.document;
  return parsedDocumentSchema.parse(JSON.parse(await readFile(parsed.path, "utf8")));
}

/** An inducer of the service, or the embedded one where it is not available. */
class OutsideInducer implements Inducer {
  readonly name: string;
  readonly #embedded: Inducer;

  constructor(name: string, embedded: Inducer) {
    this.name = name;
    this.#embedded = embedded;
  }

  async propose(...given: Parameters<Inducer["propose"]>): Promise<Proposals> {
    const [documents] = given;
    const answering = received();
    await send({ kind: "propose", documents });
    const answer = await answering;
    if (answer.kind === "proposals") return answer.proposals;
    if (answer.kind !== "unavailable") throw new Error(`no answer is ${answer.kind}`);
    const proposals = await this.#embedded.propose(...given);
    return {
      ...proposals,
      inducer: this.#embedded.name,
      notes: [answer.note, ...proposals.notes],
    };
  }
}

function received(): Promise<ToProcess> {
  return new Promise((resolve) =>
    process.once("message", (message: ToProcess) => resolve(message)),
  );
}

function send(message: FromProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

// The service is gone: nobody waits for the result.
process.once("disconnect", () => process.exit());

const first = await received();
let last: FromProcess;
try {
  if (first.kind !== "task") throw new Error(`the first message is ${first.kind}`);
  last = await run(first.task);
} catch (error) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  last = { kind: "fault", name, message, stack };
}
await send(last);
