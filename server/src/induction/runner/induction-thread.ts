/** The thread of one job (`induction-runner.ts`): reads the documents, induces or extracts, ends. */

import { readFile } from "node:fs/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { documentText } from "../../parsing/document-text.ts";
import { type ParsedDocument, parsedDocumentSchema } from "../../parsing/normal-form.ts";
import { EmbeddedInducer } from "../embedded/embedded-inducer.ts";
import { extract } from "../extract.ts";
import { induce } from "../induce.ts";
import type { Inducer, InductionProgress, Proposals, SampleDocument } from "../inducer.ts";
import type { ExtractedDocument, FromThread, StoredDocument, Task, ToThread } from "./messages.ts";

/** The thread is ended from outside when its job is cancelled. */
const NEVER = new AbortController().signal;

async function run(task: Task, port: MessagePort): Promise<FromThread> {
  const onProgress = (progress: InductionProgress): void => {
    port.postMessage({ kind: "progress", progress } satisfies FromThread);
  };
  const total = task.documents.length;
  if (task.kind === "extract") {
    const rows: ExtractedDocument[] = [];
    for (const document of task.documents) {
      const answers = extract(task.plan, documentText(await parsedForm(document)));
      rows.push({ documentId: document.id, answers });
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
    task.outsideInducer === null
      ? embedded
      : new OutsideInducer(task.outsideInducer, embedded, port);
  const result = await induce(sample, task.request, inducer, { signal: NEVER, onProgress });
  return { kind: "induced", result };
}

async function parsedForm({ parsed }: StoredDocument): Promise<ParsedDocument> {
  if ("document" in parsed) return parsed.document;
  return parsedDocumentSchema.parse(JSON.parse(await readFile(parsed.path, "utf8")));
}

/** An inducer on the main thread, or the embedded one where it is not available. */
class OutsideInducer implements Inducer {
  readonly name: string;
  readonly #embedded: Inducer;
  readonly #port: MessagePort;

  constructor(name: string, embedded: Inducer, port: MessagePort) {
    this.name = name;
    this.#embedded = embedded;
    this.#port = port;
  }

  async propose(...given: Parameters<Inducer["propose"]>): Promise<Proposals> {
    const [documents] = given;
    const answer = await new Promise<ToThread>((resolve) => {
      this.#port.once("message", resolve);
      this.#port.postMessage({ kind: "propose", documents } satisfies FromThread);
    });
    if (answer.kind === "proposals") return answer.proposals;
    const proposals = await this.#embedded.propose(...given);
    return {
      ...proposals,
      inducer: this.#embedded.name,
      notes: [answer.note, ...proposals.notes],
    };
  }
}

const task: Task = workerData;
if (parentPort !== null) {
  const port = parentPort;
  let last: FromThread;
  try {
    last = await run(task, port);
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    last = { kind: "fault", name, message, stack };
  }
  port.postMessage(last);
}
