import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseText } from "../../parsing/parse.ts";
import { EmbeddedInducer } from "../embedded/embedded-inducer.ts";
import type { Inducer, InductionProgress } from "../inducer.ts";
import { InducerUnavailable } from "../inducer.ts";
import { type Skill, skillSchema } from "../skills/skill.ts";
import { InductionError, InductionRunner, type StoredDocument } from "./induction-runner.ts";

const skill: Skill = skillSchema.parse({
  slug: "delivery",
  title: "Delivery note",
  description: "For tests.",
  document_types: ["delivery note"],
  vocabulary: [],
  fields: [
    {
      id: "weight",
      question: "How heavy is the delivery?",
      kind: "number",
      labels: ["Weight"],
      weight: 0.9,
    },
  ],
  avoid: [],
});
const request = { useCase: "Plan deliveries.", skill, maxQuestions: 25 };
const signal = new AbortController().signal;

let folder: string;
let documents: StoredDocument[];
let runner: InductionRunner;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "induction-runner-"));
  documents = Array.from({ length: 6 }, (_, index) => {
    const text = `DELIVERY NOTE\n\nWeight: ${10 + index}\nDriver: ${index % 2 === 0 ? "Ann" : "Ben"}\n`;
    const path = join(folder, `${index}.json`);
    const parsed = parseText("note.txt", text);
    writeFileSync(path, JSON.stringify(parsed));
    const hash = createHash("sha256").update(text).digest("hex");
    const held = index % 2 === 0 ? { path } : { document: parsed };
    return { id: `id-${index}`, name: "note.txt", hash, parsed: held };
  });
});
afterEach(() => runner.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the runner", () => {
  it("induces in a process, and extracts by what it induced", async () => {
    runner = new InductionRunner();
    const progress: InductionProgress[] = [];
    const { schema, plan } = await runner.induce(
      { documents, request },
      { signal, onProgress: (each) => progress.push(each) },
    );
    expect(schema.questions.map(({ id }) => id)).toContain("weight");
    expect(new Set(progress.map(({ phase }) => phase))).toEqual(
      new Set(["reading", "proposing", "gating", "wording"]),
    );
    const rows = await runner.extract(plan, documents, { signal });
    expect(rows.map(({ documentId }) => documentId)).toEqual(documents.map(({ id }) => id));
    expect(rows.map(({ answers }) => answers["weight"]?.value)).toEqual([10, 11, 12, 13, 14, 15]);
  });

  it("lets an inducer outside propose, and the embedded one where that cannot", async () => {
    runner = new InductionRunner();
    const embedded = new EmbeddedInducer();
    const outside: Inducer = {
      name: "outside",
      propose: async (...given) => {
        const { proposals, ...rest } = await embedded.propose(...given);
        return { ...rest, proposals: proposals.filter(({ name }) => name === "weight") };
      },
    };
    const { schema } = await runner.induce({ documents, request, inducer: outside }, { signal });
    expect(schema.questions.map(({ id }) => id)).toEqual(["weight"]);
    expect(schema.metadata["inducer"]).toBe("outside");
    const gone: Inducer = {
      name: "gone",
      propose: () => Promise.reject(new InducerUnavailable("The endpoint does not answer.")),
    };
    const fallen = await runner.induce({ documents, request, inducer: gone }, { signal });
    expect(fallen.schema.metadata).toMatchObject({
      inducer: "embedded",
      notes: expect.arrayContaining(["The endpoint does not answer."]),
    });
    const broken: Inducer = { name: "broken", propose: () => Promise.reject(new Error("a fault")) };
    await expect(
      runner.induce({ documents, request, inducer: broken }, { signal }),
    ).rejects.toThrow("a fault");
  });

  it("ends a job that is cancelled, takes too long or takes too much memory", async () => {
    runner = new InductionRunner({ seconds: 0.01 });
    await expect(runner.induce({ documents, request }, { signal })).rejects.toThrow(InductionError);
    await runner.close();
    runner = new InductionRunner({ memoryMb: 9 });
    const hungry = Array.from({ length: 4000 }, (_, index) => ({
      ...documents[0]!,
      id: `${index}`,
    }));
    await expect(runner.extract(planOf(), hungry, { signal })).rejects.toThrow(/MB of memory/);
    await runner.close();
    runner = new InductionRunner();
    const stop = new AbortController();
    const job = runner.induce({ documents, request }, { signal: stop.signal });
    stop.abort(new Error("cancelled by its owner"));
    await expect(job).rejects.toThrow("cancelled by its owner");
    await expect(runner.induce({ documents, request }, { signal: stop.signal })).rejects.toThrow(
      "cancelled",
    );
  });

  it("takes no job after it is closed, and blames no document for that", async () => {
    runner = new InductionRunner();
    const asked = Promise.withResolvers<void>();
    const inducer: Inducer = {
      name: "silent",
      propose: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    };
    const open = runner.induce({ documents, request, inducer }, { signal });
    const ended = expect(open).rejects.not.toThrow(InductionError);
    await asked.promise;
    await runner.close();
    await ended;
    await runner.close();
    await expect(runner.induce({ documents, request }, { signal })).rejects.toThrow("closed");
  });

  it("tells what is wrong with a document's parsed form", async () => {
    runner = new InductionRunner();
    const path = join(folder, "damaged.json");
    writeFileSync(path, JSON.stringify({ version: 2 }));
    const damaged = { ...documents[0]!, parsed: { path } };
    await expect(runner.extract(planOf(), [damaged], { signal })).rejects.toThrow(/version/);
  });
});

function planOf() {
  const conventions = { dayFirst: true, decimalComma: false, currency: null, languages: ["en"] };
  return { version: 1 as const, conventions, answerers: [] };
}
