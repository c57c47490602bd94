/** A state as a coloured word. */

const TONES: Readonly<Record<string, "good" | "bad" | "busy">> = {
  completed: "good",
  finished: "good",
  ready: "good",
  active: "good",
  succeeded: "good",
  refused: "bad",
  failed: "bad",
  revoked: "bad",
  expired: "bad",
  running: "busy",
  pending: "busy",
  queued: "busy",
};

export function Status({ of }: { readonly of: string }) {
  return <span className={`status ${TONES[of] ?? "plain"}`}>{of.replaceAll("_", " ")}</span>;
}
