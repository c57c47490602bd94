import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentText } from "../parsing/document-text.ts";
import { parseText } from "../parsing/parse.ts";
import { EmbeddedInducer } from "./embedded/embedded-inducer.ts";
import { extract } from "./extract.ts";
import { frozenHash, induce } from "./induce.ts";
import type { SampleDocument } from "./inducer.ts";
import { documentSchemaSchema, extractionPlanSchema } from "./schema.ts";
import { type Skill, skillSchema } from "./skills/skill.ts";

const skill: Skill = skillSchema.parse({
  slug: "transport",
  title: "Transport note",
  description: "For tests.",
  document_types: ["transport note"],
  vocabulary: ["cargo", "driver", "route"],
  fields: [
    {
      id: "departure_date",
      question: "On which date did the transport leave?",
      kind: "date",
      labels: ["Departure", "Date of departure"],
      weight: 0.9,
    },
    {
      id: "freight",
      question: "How much is the freight?",
      kind: "money",
      labels: ["Freight"],
      weight: 0.8,
    },
    {
      id: "toll",
      question: "How much is the toll?",
      kind: "money",
      labels: ["Toll"],
      weight: 0.8,
    },
  ],
  avoid: ["printed by"],
});
const request = { useCase: "Predict the freight of a transport.", skill, maxQuestions: 25 };
const signal = new AbortController().signal;

const ROUTES = ["North", "South", "Coast"];
const DRIVERS = ["Ann Lee", "Ben Orr", "Cem Uz", "Dan Roe"];

/** The n-th note of a carrier; labels vary as in documents of several hands. */
function note(n: number): string {
  const day = String(1 + (n % 28)).padStart(2, "0");
  return [
    "TRANSPORT NOTE",
    "",
    `Serial no: TN-${1000 + 37 * n}`,
    `${n % 3 === 0 ? "Date of departure" : "Departure"}: 2023-05-${day}`,
    `Route: ${ROUTES[n % 3]}`,
    n % 5 === 4 ? `Driver name:  ${DRIVERS[n % 4]}` : `Driver:  ${DRIVERS[n % 4]}`,
    `Cargo weight: ${(400 + 13 * n).toFixed(1)} kg`,
    `Freight: USD ${(90 + 7 * n).toFixed(2)}`,
    "Carrier: Hill & Sons Ltd",
    `Printed by: desk ${n}`,
    "",
  ].join("\n");
}

function sample(size: number, idOf: (n: number) => string): SampleDocument[] {
  return Array.from({ length: size }, (_, n) => {
    const text = note(n);
    const hash = createHash("sha256").update(text).digest("hex");
    return {
      id: idOf(n),
      name: "note.txt",
      hash,
      content: documentText(parseText("note.txt", text)),
    };
  });
}

const notes = sample(24, (n) => `document-${n}`);

function inducing(documents: readonly SampleDocument[], maxQuestions = 25) {
  return induce(documents, { ...request, maxQuestions }, new EmbeddedInducer(), { signal });
}

describe("induction", () => {
  it("asks what the skill knows and what the documents' labels say", async () => {
    const { schema, plan } = await inducing(notes);
    expect(() => documentSchemaSchema.parse(schema)).not.toThrow();
    expect(() => extractionPlanSchema.parse(plan)).not.toThrow();
    const ids = schema.questions.map(({ id }) => id);
    expect(ids.slice(0, 2).sort()).toEqual(["departure_date", "freight"]);
    expect(ids).toEqual(expect.arrayContaining(["route", "cargo_weight"]));
    const route = schema.questions.find(({ id }) => id === "route")!;
    expect([...route.enum].sort()).toEqual(["Coast", "North", "South"]);
    const weight = schema.questions.find(({ id }) => id === "cargo_weight")!;
    expect(weight.unit).toBe("kg");
    expect(weight.rationale).toContain("24 of 24");
    expect(schema.questions.find(({ id }) => id === "freight")!.unit).toBe("USD");
  });

  it("leaves out what is constant, is avoided, or is nowhere, and asks last what identifies", async () => {
    const { schema, reasoning } = await inducing(notes);
    const asked = schema.questions.map(({ id }) => id);
    for (const absent of ["carrier", "printed", "toll"])
      expect(asked.join(" ")).not.toContain(absent);
    expect(asked.at(-1)).toBe("serial_no");
    const { schema: smaller } = await inducing(notes, asked.length - 1);
    expect(smaller.questions.map(({ id }) => id)).toEqual(asked.slice(0, -1));
    const { rejected } = JSON.parse(reasoning["candidates.json"]!) as {
      readonly rejected: readonly { readonly name: string; readonly reason: string }[];
    };
    const why = new Map(rejected.map(({ name, reason }) => [name.toLowerCase(), reason]));
    expect(why.get("carrier")).toContain("variety");
  });

  it("answers by its plan what documents of the kind state, which it has not seen", async () => {
    const { plan } = await inducing(notes);
    const unseen = documentText(parseText("note.txt", note(100)));
    const answers = extract(plan, unseen);
    expect(answers["freight"]?.value).toBe(790);
    expect(answers["departure_date"]?.value).toBe("2023-05-17");
    expect(answers["route"]?.value).toBe("South");
    expect(answers["cargo_weight"]).toMatchObject({ value: 1700, unit: "kg" });
    const empty = extract(plan, documentText(parseText("a.txt", "Nothing to see here.")));
    expect(Object.values(empty).every((answer) => answer === null)).toBe(true);
  });

  it("is the same in every byte, whatever the order of the sample and the ids in it", async () => {
    const there = JSON.stringify(await inducing(notes));
    const orders = fc.shuffledSubarray([...notes.keys()], { minLength: notes.length });
    await fc.assert(
      fc.asyncProperty(orders, fc.nat(1000), async (order, salt) => {
        const renamed = sample(24, (n) => `upload-${(n * 761 + salt) % 1009}`);
        const shuffled = order.map((index) => renamed[index]!);
        expect(JSON.stringify(await inducing(shuffled))).toBe(there);
      }),
      { numRuns: 4 },
    );
  });

  it("freezes questions and plan under a hash of both", async () => {
    const { schema, plan } = await inducing(notes);
    expect(schema.metadata["hash"]).toBe(frozenHash(schema.questions, plan));
    const [first, ...rest] = schema.questions;
    const changed = [{ ...first!, question: "Which?" }, ...rest];
    expect(frozenHash(changed, plan)).not.toBe(schema.metadata["hash"]);
  });

  it("tells figures and verdicts of each question, and no document's own value", async () => {
    const { schema } = await inducing(notes);
    const told = schema.metadata["questions"] as Record<string, Record<string, unknown>>;
    expect(Object.keys(told)).toEqual(schema.questions.map(({ id }) => id));
    expect(told["freight"]).toMatchObject({ coverage: 1, coverage_of_sample: 1, origin: "skill" });
    const shown = JSON.stringify(schema);
    for (let n = 0; n < notes.length; n++) expect(shown).not.toContain(`TN-${1000 + 37 * n}`);
  });

  it("asks no more than it may, and of few documents says what that means", async () => {
    expect((await inducing(notes, 2)).schema.questions).toHaveLength(2);
    const { schema } = await inducing(notes.slice(0, 3));
    expect(schema.metadata).toMatchObject({ documents: 3, held_back: 0 });
    expect(String(schema.metadata["notes"])).toContain("too small");
    const { schema: dozen } = await inducing(notes.slice(0, 12));
    expect(dozen.metadata).toMatchObject({ documents: 12, held_back: 0 });
    const { schema: twice } = await inducing([...notes, ...notes.slice(0, 2)]);
    expect(twice.metadata).toMatchObject({ documents: 24, held_back: 7 });
    await expect(inducing([])).rejects.toThrow(RangeError);
  });

  it("stops when it is told to", async () => {
    const stop = AbortSignal.abort(new Error("stopped"));
    const job = induce(notes, request, new EmbeddedInducer(), { signal: stop });
    await expect(job).rejects.toThrow("stopped");
  });
});
