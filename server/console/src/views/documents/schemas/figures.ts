/** What the gates measured of each question, out of a schema's metadata, which may hold anything. */

export interface Gate {
  readonly gate: string;
  readonly passed: boolean;
  readonly score: number | null;
  readonly note: string;
}

export interface NotAsked {
  readonly name: string;
  readonly reason: string;
}

type Anything = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Anything => typeof value === "object" && value !== null;
const records = (value: unknown): readonly Anything[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function gatesOf(metadata: Anything, question: string): readonly Gate[] {
  const questions = metadata["questions"];
  const own = isRecord(questions) ? questions[question] : null;
  return records(isRecord(own) ? own["gates"] : null).map(({ gate, passed, score, note }) => ({
    gate: text(gate),
    passed: passed === true,
    score: typeof score === "number" ? score : null,
    note: text(note),
  }));
}

/** What was looked for and is no question, with why. */
export const notAskedOf = (metadata: Anything): readonly NotAsked[] =>
  records(metadata["not_asked"]).map(({ name, reason }) => ({
    name: text(name),
    reason: text(reason),
  }));

export const notesOf = (metadata: Anything): readonly string[] => {
  const { notes } = metadata;
  return Array.isArray(notes) ? notes.filter((note) => typeof note === "string") : [];
};
